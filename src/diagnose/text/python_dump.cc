#include "diagnose/text/python_dump.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace holdfast {
namespace {

constexpr std::string_view opening = "Fatal Python error: ";

// "ModuleNotFoundError: No module named 'encodings'": one line that says what stopped the start-up.
bool is_exception(std::string_view line) {
    const std::string_view type = line.substr(0, line.find(':'));
    return type.ends_with("Error") && type.find_first_of(" \t\"'") == std::string_view::npos;
}

bool belongs_to_dump(std::string_view line) {
    static constexpr std::array<std::string_view, 16> starts{"  File ",
                                                             "  Binary file ",
                                                             "  <",
                                                             "  ...",
                                                             "Thread 0x",
                                                             "Current thread",
                                                             "Python runtime",
                                                             "Extension modules:",
                                                             "  Garbage-collecting",
                                                             "Segmentation fault",
                                                             "Aborted",
                                                             "Bus error",
                                                             "Illegal instruction",
                                                             "Floating point exception",
                                                             "  Cannot show",
                                                             "  <no Python frame>"};
    if (trim(line).empty() || is_exception(line)) return true;
    return std::any_of(starts.begin(), starts.end(), [line](std::string_view start) {
        return line.substr(0, start.size()) == start;
    });
}

std::optional<std::size_t> dump_start(std::string_view text) {
    const std::size_t at = text.rfind(opening);
    if (at == std::string_view::npos) return std::nullopt;
    if (at != 0 && text[at - 1] != '\n') return std::nullopt;
    std::string_view rest = text.substr(at);
    next_line(rest);
    while (const std::optional<std::string_view> line = next_line(rest))
        if (!belongs_to_dump(*line)) return std::nullopt;
    return at;
}

// `  File "train.py", line 42 in step`
std::optional<Frame> parse_frame(std::string_view line) {
    constexpr std::string_view file = "  File \"";
    constexpr std::string_view number = "\", line ";
    if (line.substr(0, file.size()) != file) return std::nullopt;
    line.remove_prefix(file.size());
    const std::size_t end = line.find(number);
    if (end == std::string_view::npos) return std::nullopt;
    Frame frame{.file = std::string(line.substr(0, end)), .line = std::nullopt, .function = {}};
    line.remove_prefix(end + number.size());
    const std::optional<std::string_view> digits = next_word(line);
    if (digits) frame.line = parse_number<int>(*digits);
    const std::optional<std::string_view> in = next_word(line);
    if (in == "in") frame.function = std::string(trim(line));
    return frame;
}

}  // namespace

std::optional<PythonDump> python_dump_at_end(std::string_view text) {
    const std::optional<std::size_t> at = dump_start(text);
    if (!at) return std::nullopt;
    std::string_view rest = text.substr(*at);
    PythonDump dump;
    dump.headline = std::string(trim(next_line(rest)->substr(opening.size())));
    static constexpr std::array<std::string_view, 6> signals{"Segmentation fault",
                                                             "Aborted",
                                                             "Bus error",
                                                             "Illegal instruction",
                                                             "Floating-point exception",
                                                             "Floating point exception"};
    dump.names_signal = std::find(signals.begin(), signals.end(), dump.headline) != signals.end();
    bool inside = false;
    while (const std::optional<std::string_view> line = next_line(rest)) {
        const bool current = line->substr(0, 14) == "Current thread";
        const bool stack = line->find("(most recent call first)") != std::string_view::npos;
        if (current && stack && line->find("C stack") == std::string_view::npos) {
            inside = true;
        } else if (const std::optional<Frame> frame = parse_frame(*line); inside && frame) {
            dump.frames.push_back(*frame);
        } else {
            if (inside && !dump.frames.empty()) break;
        }
    }
    std::reverse(dump.frames.begin(), dump.frames.end());
    return dump;
}

std::string_view before_python_dump(std::string_view text) {
    const std::optional<std::size_t> at = dump_start(text);
    return at ? text.substr(0, *at) : text;
}

}  // namespace holdfast
