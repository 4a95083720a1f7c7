#include "record/stall_text.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast {
namespace {

constexpr std::size_t most_stall_threads = 512;
constexpr std::size_t most_stall_frames = 2048;  // over all threads

// A name may contain anything: a newline or a tab in it would forge another line.
std::string plain(std::string_view text) {
    std::string clean = printable(text);
    std::replace_if(
        clean.begin(), clean.end(), [](char c) { return c == '\n' || c == '\t'; }, '?');
    return clean;
}

std::string head_of(const StallThread& thread) {
    std::string line = "T " + std::to_string(thread.tid) + ' ' + plain(thread.name) + "\nW ";
    line += thread.state;
    line.append(1, '\t').append(word_of(thread.wait)).append(1, '\t');
    if (thread.timed) line += 't';
    if (thread.inside) line += 'i';
    if (thread.own_lock) line += 'o';
    if (thread.holds_gil) line += 'g';
    line += '\t' + plain(thread.call) + '\t' + plain(thread.wait_channel) + '\t' +
            plain(thread.target) + '\t';
    if (thread.owner) line += std::to_string(*thread.owner);
    return line + '\n';
}

std::string line_of(const StallFrame& frame) {
    return "F " + std::to_string(frame.line.value_or(0)) + '\t' + plain(frame.file) + '\t' +
           plain(frame.function) + '\n';
}

void take_wait(std::string_view rest, StallThread& thread) {
    const auto piece = [&rest] { return next_piece(rest, '\t').value_or(std::string_view{}); };
    const std::string_view state = piece();
    const bool letter = state.size() == 1 && ((state[0] >= 'A' && state[0] <= 'Z') ||
                                              (state[0] >= 'a' && state[0] <= 'z'));
    thread.state = letter ? state[0] : '?';
    thread.wait = wait_kind_of(piece());
    const std::string_view flags = piece();
    thread.timed = flags.find('t') != std::string_view::npos;
    thread.inside = flags.find('i') != std::string_view::npos;
    thread.own_lock = flags.find('o') != std::string_view::npos;
    thread.holds_gil = flags.find('g') != std::string_view::npos;
    thread.call = printable(piece());
    thread.wait_channel = printable(piece());
    thread.target = printable(piece());
    thread.owner = parse_number<int>(piece());
    if (thread.owner && *thread.owner <= 0) thread.owner.reset();
}

void take_frame(std::string_view rest, StallThread& thread) {
    const auto number = next_piece(rest, '\t');
    const auto file = next_piece(rest, '\t');
    if (!number || !file) return;
    StallFrame& frame = thread.frames.emplace_back();
    frame.line = parse_number<int>(*number);
    if (frame.line && *frame.line <= 0) frame.line.reset();
    frame.file = printable(*file);
    frame.function = printable(rest);
}

}  // namespace

std::string stall_text(const std::vector<StallThread>& threads, std::size_t limit) {
    std::string text;
    const auto add = [&](const std::string& lines) {
        if (text.size() + lines.size() > limit) return false;
        text += lines;
        return true;
    };
    for (const StallThread& thread : threads) {
        if (!add(head_of(thread))) break;
        for (const std::string& native : thread.native)
            if (!add("N " + plain(native) + '\n')) break;
        for (const StallFrame& frame : thread.frames)
            if (!add(line_of(frame))) break;
    }
    return text;
}

std::vector<StallThread> parse_stall_text(std::string_view text) {
    const std::size_t last = text.rfind('\n');  // a text may be cut anywhere
    text = last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
    std::vector<StallThread> threads;
    std::size_t frames = 0;
    while (const auto line = next_line(text)) {
        std::string_view rest = *line;
        const auto kind = next_piece(rest, ' ');
        if (kind == "T") {
            if (threads.size() == most_stall_threads) break;
            const auto tid = next_piece(rest, ' ');
            StallThread& thread = threads.emplace_back();
            thread.tid = std::max(0, tid ? parse_number<int>(*tid).value_or(0) : 0);
            thread.name = printable(rest);
        } else if (threads.empty()) {
            continue;
        } else if (kind == "W") {
            take_wait(rest, threads.back());
        } else if (++frames > most_stall_frames) {
            break;
        } else if (kind == "N") {
            threads.back().native.push_back(printable(rest));
        } else if (kind == "F") {
            take_frame(rest, threads.back());
        }
    }
    return threads;
}

}  // namespace holdfast
