// The end of the program's stderr, masked and printable.
#include <algorithm>

#include "base/text.h"
#include "evidence/gatherers.h"
#include "evidence/own_lines.h"
#include "record/mask.h"

namespace holdfast::gatherers {
namespace {

// A shared log file grows after the run: what came later is not this program's.
constexpr Nanos late_write = std::chrono::seconds(2);

// Progress bars return with a carriage return: make each of their states a line.
std::string with_newlines(std::string_view raw) {
    std::string text;
    text.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\r') {
            text += raw[i];
        } else if (i + 1 < raw.size() && raw[i + 1] != '\n') {
            text += '\n';
        }
    }
    return text;
}

// Drops half a line: it may be half a secret, which the mask would not recognise.
std::string_view without_first_line(std::string_view text) {
    const std::size_t newline = text.find('\n');
    return newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
}

StderrText seen(std::string_view raw, bool from_the_middle) {
    if (raw.size() > stderr_limit) {
        raw = raw.substr(raw.size() - stderr_limit);
        from_the_middle = true;
    }
    const std::string lines = with_newlines(raw);
    std::string text = mask_text(without_own_lines(
        printable(from_the_middle ? without_first_line(lines) : std::string_view(lines))));
    if (text.size() > stderr_limit)  // a mask may be longer than what it hides
        text = without_first_line(std::string_view(text).substr(text.size() - stderr_limit));
    return {std::move(text), true, {}};
}

StderrText unseen(MissingKind why, std::string detail = {}) {
    return {{}, false, Missing{why, std::move(detail)}};
}

StderrText from_file(const RunRecord& record, const MachineView& machine) {
    const OutputCapture& capture = record.facts->output;
    if (!machine.output_file) return unseen(MissingKind::stderr_file_not_tried);
    const auto file = machine.output_file(capture, stderr_limit);
    if (!file) return unseen(MissingKind::stderr_file_unread, printable(file.error().text));
    const auto modified = file->modified_wall.count();
    if (record.end && bounded_difference(modified, record.end->time_wall) > late_write.count())
        return unseen(MissingKind::stderr_file_changed);
    return seen(file->tail, file->from_the_middle);
}

}  // namespace

StderrText stderr_text(const RunRecord& record, const MachineView& machine) {
    const auto relayed = [&] {
        const OutputTail& output = *record.output;
        return seen(output.text, output.taken > output.text.size());
    };
    if (!record.facts) return record.output ? relayed() : unseen(MissingKind::stderr_unrecorded);
    switch (record.facts->output.kind) {
    case OutputCapture::Kind::relay:
        return record.output ? relayed() : unseen(MissingKind::stderr_record_lost);
    case OutputCapture::Kind::file: return from_file(record, machine);
    case OutputCapture::Kind::terminal: return unseen(MissingKind::stderr_on_terminal);
    case OutputCapture::Kind::none: return unseen(MissingKind::stderr_unrecorded);
    }
    return unseen(MissingKind::stderr_unrecorded);
}

}  // namespace holdfast::gatherers
