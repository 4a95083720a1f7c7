#include "evidence/traceback_lines.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace holdfast::traceback {
namespace {

constexpr std::string_view header = "Traceback (most recent call last):";
constexpr std::size_t longest_file = 1024;
constexpr std::size_t longest_name = 256;

constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// Identifiers may be in any script: every byte beyond ASCII is taken as part of one.
constexpr bool wordlike(char c) {
    return letter(c) || digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

template <std::size_t N>
bool starts_with_any(std::string_view text, const std::array<std::string_view, N>& starts) {
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return text.starts_with(start); });
}

std::size_t digits_at(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && digit(text[n])) ++n;
    return n;
}

std::size_t prefix_length(std::string_view line) {
    const std::size_t digits = digits_at(line);
    if (digits > 0 && digits <= 5 && line.substr(digits).starts_with(": ")) return digits + 1;
    if (!line.starts_with('[')) return 0;
    const std::size_t close = line.substr(0, 32).find(']');
    if (close == std::string_view::npos) return 0;
    const std::string_view inside = line.substr(1, close - 1);
    if (!std::any_of(inside.begin(), inside.end(), digit)) return 0;
    if (!std::all_of(inside.begin(), inside.end(), [](char c) { return wordlike(c) || c == ','; }))
        return 0;
    std::size_t end = close + 1;
    if (line.substr(end).starts_with("<stderr>")) end += 8;
    if (end >= line.size() || line[end] != ':') return 0;
    return end + 1;
}

constexpr std::array<std::string_view, 6> levels{"DEBUG", "INFO",     "WARNING",
                                                 "ERROR", "CRITICAL", "FATAL"};

bool is_level(std::string_view word) {
    return std::find(levels.begin(), levels.end(), word) != levels.end();
}

// "2026-01-31" at the start.
bool is_date(std::string_view text) {
    return text.size() >= 10 && digits_at(text) == 4 && text[4] == '-' &&
           digits_at(text.substr(5)) == 2 && text[7] == '-' && digits_at(text.substr(8)) == 2;
}

// Only some Python versions print the module of a class that the script itself defines.
std::string type_name(std::string_view type) {
    constexpr std::string_view script = "__main__.";
    if (type.starts_with(script)) type.remove_prefix(script.size());
    return std::string(type);
}

}  // namespace

Line split_prefix(std::string_view raw, std::size_t number) {
    const std::size_t length = prefix_length(raw);
    return {raw.substr(0, length), raw.substr(length), number};
}

std::optional<Owner> announced(std::string_view line) {
    static constexpr std::array<std::string_view, 2> threads{"Exception in thread ",
                                                             "Unhandled exception in thread"};
    static constexpr std::array<std::string_view, 7> ignored{
        "Exception ignored ",    "Error in atexit", "Error in sys.excepthook",
        "--- Logging error ---", "future: <",       "Exception in Tkinter callback",
        "Exception in callback "};
    if (starts_with_any(line, threads)) return Owner::thread;
    if (starts_with_any(line, ignored)) return Owner::ignored;
    if (line.starts_with("Process ") && line.ends_with(':')) return Owner::child;
    if (line == "Original exception was:") return Owner::process;
    return std::nullopt;
}

void drop_separator(std::vector<Line>& stream) {
    const auto spaced = [](const Line& line) {
        return line.text.starts_with(' ') && is_header(line.text.substr(1));
    };
    if (std::none_of(stream.begin(), stream.end(), spaced)) return;
    for (Line& line : stream)
        if (line.text.starts_with(' ')) line.text.remove_prefix(1);
}

bool is_header(std::string_view line) {
    if (line == header) return true;
    return line.ends_with(header) && line[line.size() - header.size() - 1] == ']';
}

bool is_group_header(std::string_view line) {
    return trim(line) == "+ Exception Group Traceback (most recent call last):";
}

bool is_chain_link(std::string_view line) {
    return line == "During handling of the above exception, another exception occurred:" ||
           line == "The above exception was the direct cause of the following exception:";
}

bool is_quote(std::string_view line) { return trim(line) == "\"\"\"" || trim(line) == "'''"; }

bool is_blank(std::string_view line) { return trim(line).empty(); }

bool is_epilogue(std::string_view line) {
    static constexpr std::array<std::string_view, 2> starts{"wandb: ", "  warnings.warn("};
    static constexpr std::array<std::string_view, 4> bars{"%|", "it/s]", "s/it]", "B/s]"};
    if (is_blank(line) || starts_with_any(line, starts)) return true;
    if (contains(line, "Warning: ") && contains(line.substr(0, line.find("Warning: ")), ":"))
        return true;
    return std::any_of(bars.begin(), bars.end(),
                       [&](std::string_view bar) { return contains(line, bar); });
}

bool is_progress(std::string_view line) {
    static constexpr std::array<std::string_view, 5> starts{"Epoch", "epoch", "Step ", "step ",
                                                            "Iteration "};
    std::string_view rest = trim(line);
    if (rest.starts_with('[')) rest.remove_prefix(1);
    if (is_date(rest) || starts_with_any(rest, starts)) return true;
    // glog: "W0131 12:00:00.123456 17 file.cc:3] text"
    if (rest.size() > 6 && contains("IWEF", rest.substr(0, 1)) && digits_at(rest.substr(1)) == 4 &&
        rest[5] == ' ')
        return true;
    std::size_t word = 0;
    while (word < rest.size() && letter(rest[word])) ++word;
    return is_level(rest.substr(0, word));
}

bool is_syntax_place(std::string_view line) {
    const auto frame = frame_of(line);
    return frame && frame->function.empty();
}

bool is_syntax_error(std::string_view type) {
    return type == "SyntaxError" || type == "IndentationError" || type == "TabError";
}

std::optional<Frame> frame_of(std::string_view line) {
    constexpr std::string_view start = "  File \"";
    constexpr std::string_view middle = "\", line ";
    if (!line.starts_with(start)) return std::nullopt;
    line.remove_prefix(start.size());
    // A file name may hold a quote: the last `", line ` is the real one.
    const std::size_t end = line.rfind(middle);
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    std::string_view rest = line.substr(end + middle.size());
    const std::size_t digits = digits_at(rest);
    const auto number = parse_number<int>(rest.substr(0, digits));
    if (!number) return std::nullopt;
    rest.remove_prefix(digits);
    Frame frame;
    if (rest.starts_with(", in "))
        frame.function = cut(rest.substr(5), longest_name);
    else if (!is_blank(rest))
        return std::nullopt;
    frame.file = cut(line.substr(0, end), longest_file);
    frame.line = *number;
    return frame;
}

std::optional<ExceptionHead> exception_head(std::string_view line) {
    std::size_t end = 0;
    while (end < line.size() &&
           (wordlike(line[end]) || line[end] == '.' || line[end] == '<' || line[end] == '>'))
        ++end;
    const std::string_view type = line.substr(0, end);
    if (type.empty() || type.size() > longest_name || digit(type[0]) || !wordlike(type[0]) ||
        type.back() == '.')
        return std::nullopt;
    if (is_level(type)) return std::nullopt;  // "ERROR: ..." is a log line
    std::string_view rest = line.substr(end);
    if (is_blank(rest)) {
        // What a shell prints about a program that was killed.
        static constexpr std::array<std::string_view, 4> words{"Killed", "Terminated", "Aborted",
                                                               "Hangup"};
        if (std::find(words.begin(), words.end(), type) != words.end()) return std::nullopt;
        return ExceptionHead{type_name(type), {}};
    }
    if (!rest.starts_with(": ") && rest != ":") return std::nullopt;
    rest.remove_prefix(1);
    return ExceptionHead{type_name(type), std::string(trim(rest))};
}

}  // namespace holdfast::traceback
