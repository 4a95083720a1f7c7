#include "evidence/traceback_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "evidence/traceback_lines.h"

namespace holdfast {
namespace {

using namespace traceback;

constexpr std::size_t most_streams = 64;
constexpr std::size_t most_traceback_frames = 128;
constexpr std::size_t outer_frames_kept = 32;
constexpr std::size_t most_message_lines = 40;
constexpr std::size_t longest_message = 4096;

using Stream = std::vector<Line>;

struct RaisedBlock {
    Owner owner = Owner::process;
    bool quoted = false;  // inside """ in another exception's message
    bool whole = false;
    bool chained = false;  // raised while the exception above it was being handled
    TracebackText traceback;
    std::size_t end = 0;  // index of the line behind it, in its stream

    bool decides() const { return whole && !quoted && owner == Owner::process; }
};

bool begins_block(const Stream& lines, std::size_t at) {
    const std::string_view text = lines[at].text;
    if (is_header(text) || is_group_header(text)) return true;
    // A SyntaxError in the script itself has no header.
    if (!is_syntax_place(text)) return false;
    for (std::size_t i = at + 1; i < lines.size() && i < at + 8; ++i) {
        if (lines[i].text.starts_with("  ")) continue;
        const auto head = exception_head(lines[i].text);
        return head && is_syntax_error(head->type);
    }
    return false;
}

void add_frame(std::vector<Frame>& frames, Frame frame) {
    if (frames.size() >= most_traceback_frames)
        frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(outer_frames_kept));
    frames.push_back(std::move(frame));
}

// Reads frames and the line that names the exception; returns the index behind them.
std::size_t read_body(const std::vector<std::string_view>& lines, std::size_t at,
                      RaisedBlock& block) {
    for (; at < lines.size(); ++at) {
        if (auto frame = frame_of(lines[at])) {
            add_frame(block.traceback.frames, std::move(*frame));
            continue;
        }
        const bool source = lines[at].starts_with("  ");
        const bool blank_in_source =
            is_blank(lines[at]) && at + 1 < lines.size() && lines[at + 1].starts_with("  ");
        if (!source && !blank_in_source) break;
    }
    if (at >= lines.size()) return at;
    const auto head = exception_head(lines[at]);
    if (!head) return at;
    block.traceback.type = head->type;
    block.traceback.message = head->message;
    block.whole = true;
    return at + 1;
}

// Reads the rest of a message of several lines. Nothing marks its end: a log line, a progress line
// or the start of something known ends it, and a very long one is later output.
std::size_t read_message(const Stream& lines, std::size_t at, RaisedBlock& block) {
    std::string more;
    std::size_t used = at;
    for (std::size_t i = at; i < lines.size(); ++i) {
        const std::string_view text = lines[i].text;
        if (is_blank(text)) continue;
        if (announced(text) || is_chain_link(text) || is_epilogue(text) || is_progress(text) ||
            begins_block(lines, i))
            break;
        if (i + 1 - at > most_message_lines) return at;
        more += '\n';
        more += trim(text);
        used = i + 1;
    }
    block.traceback.message += more;
    return used;
}

std::size_t read_group(const Stream& lines, std::size_t at, RaisedBlock& block) {
    const std::size_t indent = lines[at].text.find('+');
    std::vector<std::string_view> body;
    std::size_t i = at + 1;
    for (; i < lines.size(); ++i) {
        std::string_view text = lines[i].text;
        if (text.size() <= indent || text[indent] != '|') break;
        text.remove_prefix(indent + 1);
        if (text.starts_with(' ')) text.remove_prefix(1);
        body.push_back(text);
    }
    read_body(body, 0, block);
    // The members of the group, framed with | and +; the group's own message describes them.
    for (; i < lines.size(); ++i) {
        const std::string_view text = trim(lines[i].text);
        if (!lines[i].text.starts_with(' ') || text.empty() || (text[0] != '|' && text[0] != '+'))
            break;
    }
    return i;
}

void set_owner(const Stream& lines, std::size_t at, const std::vector<RaisedBlock>& before,
               RaisedBlock& block) {
    if (at == 0) return;
    if (const auto owner = announced(lines[at - 1].text)) {
        block.owner = *owner;
        return;
    }
    if (is_quote(lines[at - 1].text)) {
        block.quoted = true;
        if (at < 3) return;
        block.owner = announced(lines[at - 3].text).value_or(Owner::process);
        return;
    }
    std::size_t above = at;
    while (above > 0 && is_blank(lines[above - 1].text)) --above;
    block.chained = above > 0 && is_chain_link(lines[above - 1].text);
    if (block.chained && !before.empty()) block.owner = before.back().owner;
}

struct Found {
    TracebackText traceback;
    std::size_t last_line = 0;  // number of its last line in the whole text
};

// A write fails, and closing the file then fails for the same reason: the first one counts.
bool said_again(const RaisedBlock& block, const std::optional<Found>& before) {
    return block.chained && before && before->traceback.type == block.traceback.type &&
           before->traceback.message == block.traceback.message;
}

// The traceback of a caught exception ends at the frame that caught it; the later traceback has the
// frames above.
void join_frames(std::vector<Frame>& later, const std::vector<Frame>& earlier) {
    if (earlier.empty()) return;
    const auto catching = std::find_if(later.begin(), later.end(), [&](const Frame& frame) {
        return frame.file == earlier.front().file && frame.function == earlier.front().function;
    });
    if (catching == later.end()) return;
    later.erase(catching, later.end());
    later.insert(later.end(), earlier.begin(), earlier.end());
}

// Finds the tracebacks of one stream. `last_other` becomes the number of the last line outside them
// that means something.
std::optional<Found> scan(const Stream& lines, std::size_t& last_other) {
    std::vector<RaisedBlock> blocks;
    std::optional<Found> found;
    for (std::size_t i = 0; i < lines.size();) {
        if (!begins_block(lines, i)) {
            if (!is_epilogue(lines[i].text) && !announced(lines[i].text))
                last_other = std::max(last_other, lines[i].number);
            ++i;
            continue;
        }
        RaisedBlock block;
        set_owner(lines, i, blocks, block);
        if (is_group_header(lines[i].text)) {
            block.end = read_group(lines, i, block);
        } else {
            std::vector<std::string_view> body;
            const std::size_t first = is_header(lines[i].text) ? i + 1 : i;
            for (std::size_t k = first; k < lines.size(); ++k) body.push_back(lines[k].text);
            block.end = first + read_body(body, 0, block);
            if (block.whole) block.end = read_message(lines, block.end, block);
        }
        if (!block.whole) last_other = std::max(last_other, lines[block.end - 1].number);
        if (block.decides()) {
            if (said_again(block, found))
                join_frames(block.traceback.frames, found->traceback.frames);
            found = Found{block.traceback, lines[block.end - 1].number};
        }
        i = block.end;
        blocks.push_back(std::move(block));
        blocks.back().traceback = {};
    }
    return found;
}

}  // namespace

std::optional<TracebackText> last_traceback(std::string_view text) {
    std::map<std::string_view, Stream> streams;
    std::size_t number = 0;
    while (const auto raw = next_line(text)) {
        std::string_view whole = *raw;
        if (whole.ends_with('\r')) whole.remove_suffix(1);
        const Line line = split_prefix(whole, ++number);
        const auto stream = streams.find(line.prefix);
        if (stream != streams.end())
            stream->second.push_back(line);
        else if (streams.size() < most_streams)
            streams[line.prefix].push_back(line);
    }
    std::optional<Found> last;
    std::size_t last_other = 0;
    for (auto& entry : streams) {
        if (!entry.first.empty()) drop_separator(entry.second);
        auto found = scan(entry.second, last_other);
        if (found && (!last || found->last_line > last->last_line)) last = std::move(found);
    }
    if (!last) return std::nullopt;
    TracebackText traceback = std::move(last->traceback);
    traceback.ends_the_output = last_other < last->last_line;
    traceback.message = cut(traceback.message, longest_message);
    return traceback;
}

}  // namespace holdfast
