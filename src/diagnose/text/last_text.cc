#include "diagnose/text/last_text.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/text/python_dump.h"

namespace holdfast {
namespace {

// Native runtimes say a few lines before they abort; a shell adds one after.
constexpr std::size_t lines_before_signal = 12;
constexpr std::size_t lines_before_exit = 4;

bool has_any(std::string_view line, std::initializer_list<std::string_view> needles) {
    return std::any_of(needles.begin(), needles.end(), [line](std::string_view needle) {
        return line.find(needle) != std::string_view::npos;
    });
}

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Whether the word is in the text, in upper or lower case, and not as part of a longer word or a
// path.
bool has_word(std::string_view text, std::string_view word) {
    const auto joins = [](char c) { return is_letter(c) || c == '_' || c == '/' || c == '.'; };
    for (std::size_t at = 0; at + word.size() <= text.size(); ++at) {
        const std::string_view here = text.substr(at, word.size());
        if (!std::equal(here.begin(), here.end(), word.begin(),
                        [](char c, char wanted) { return lower(c) == wanted; }))
            continue;
        const std::size_t end = at + word.size();
        const bool starts = at == 0 || !joins(text[at - 1]);
        // A full stop may end a sentence: "contains NaN."
        const bool ends =
            end == text.size() || !joins(text[end]) ||
            (text[end] == '.' && (end + 1 == text.size() || !is_letter(text[end + 1])));
        if (starts && ends) return true;
    }
    return false;
}

// What the crash handler saved: glibc's last message, then output that nobody had read yet.
std::optional<Said> said_at_crash(const Death& death,
                                  std::initializer_list<std::string_view> needles) {
    const CrashEvidence* crash = crash_of(death);
    if (crash == nullptr) return std::nullopt;
    const std::string_view unread = before_python_dump(crash->unread);
    for (const auto& [text, source] :
         {std::pair<std::string_view, const char*>{crash->abort_text, "abort message"},
          std::pair<std::string_view, const char*>{unread, "stderr, unread"}}) {
        const std::vector<std::string_view> lines = last_lines(text, lines_before_signal);
        for (std::size_t i = lines.size(); i-- > 0;)
            if (has_any(lines[i], needles)) return Said{std::string(trim(lines[i])), true, source};
    }
    return std::nullopt;
}

// Children write to the same stderr: the last traceback may be the one that a child's agent
// recorded.
bool is_of_another(const TracebackText& traceback, const Death& death) {
    if (traceback.recorded || (death.python() && agent_of(death) == nullptr)) return false;
    const auto first_line = [](std::string_view text) { return text.substr(0, text.find('\n')); };
    for (const AgentEvidence& agent : death.all.agents) {
        if (agent.pid == death.pid) continue;
        for (const ExceptionEvidence& thrown : agent.exceptions)
            if (thrown.in_main_thread && thrown.type == traceback.type &&
                first_line(thrown.message) == first_line(traceback.message))
                return true;
    }
    return false;
}

}  // namespace

const TracebackText* final_exception(const Death& death) {
    if (!death.failed() || death.exit.signal) return nullptr;
    if (!death.decides) return death.own_traceback ? &*death.own_traceback : nullptr;
    if (!death.all.traceback || !death.all.traceback->ends_the_output) return nullptr;
    if (is_of_another(*death.all.traceback, death)) return nullptr;
    return &*death.all.traceback;
}

std::string exception_line(const TracebackText& traceback) {
    if (traceback.message.empty()) return traceback.type;
    return traceback.type + ": " + traceback.message;
}

Topic topic_of(const TracebackText& traceback) {
    const auto says = [&](std::string_view words) {
        return traceback.message.find(words) != std::string::npos;
    };
    if (traceback.type.ends_with("OutOfMemoryError") || says("CUDA out of memory"))
        return Topic::gpu_memory;
    // "nan" as a whole word, not in "fernando" or "nanoseconds".
    const bool nonfinite = has_word(traceback.message, "nan") ||
                           has_word(traceback.message, "inf") ||
                           has_word(traceback.message, "infinity") || says("non-finite") ||
                           says("Non-finite") || says("not finite") ||
                           // torch about values given as probabilities: a NaN is not one
                           says("all elements of input should be between 0 and 1");
    return nonfinite ? Topic::nonfinite_number : Topic::none;
}

bool exception_decided_exit(const Death& death) {
    return final_exception(death) != nullptr && death.exit.code == 1;
}

std::vector<std::string_view> last_lines(std::string_view text, std::size_t count) {
    std::vector<std::string_view> lines;
    while (!text.empty() && lines.size() < count) {
        const std::size_t cut = text.rfind('\n');
        const std::string_view line = cut == std::string_view::npos ? text : text.substr(cut + 1);
        if (!trim(line).empty()) lines.push_back(line);
        text = cut == std::string_view::npos ? std::string_view{} : text.substr(0, cut);
    }
    std::reverse(lines.begin(), lines.end());
    return lines;
}

std::optional<Said> said_last(const Death& death, std::initializer_list<std::string_view> needles) {
    if (!death.failed()) return std::nullopt;
    // A child's crash record and exception are its own; the rest of stderr belongs to the deciding
    // process.
    if (!death.decides && final_exception(death) == nullptr) return said_at_crash(death, needles);
    if (const TracebackText* traceback = final_exception(death)) {
        std::string line = exception_line(*traceback);
        if (!has_any(line, needles)) return std::nullopt;
        return Said{std::move(line), true, source_of(*traceback)};
    }
    if (std::optional<Said> said = said_at_crash(death, needles)) return said;
    if (!death.all.stderr_seen) return std::nullopt;
    // faulthandler's dump comes after the message, so cut it off.
    const std::string_view text = before_python_dump(death.all.stderr_tail);
    const bool signalled = death.exit.signal.has_value();
    const std::vector<std::string_view> lines =
        last_lines(text, signalled ? lines_before_signal : lines_before_exit);
    for (std::size_t i = lines.size(); i-- > 0;)
        if (has_any(lines[i], needles))
            return Said{std::string(trim(lines[i])), signalled || i + 1 == lines.size(), "stderr"};
    return std::nullopt;
}

std::optional<Said> system_said_last(const Death& death,
                                     std::initializer_list<std::string_view> needles) {
    std::optional<Said> said = said_last(death, needles);
    const TracebackText* traceback = final_exception(death);
    if (!said || traceback == nullptr || said->line.find("[Errno ") != std::string::npos)
        return said;
    for (const std::string_view own :
         {"ValueError", "KeyError", "TypeError", "AssertionError", "AttributeError",
          "NotImplementedError", "IndexError", "NameError", "LookupError"})
        if (traceback->type == own) return std::nullopt;
    return said;
}

std::string without_paths(std::string_view message) {
    const auto is_path = [](std::string_view text) {
        return text.find('/') != std::string_view::npos;
    };
    std::string left;
    while (!message.empty()) {
        const bool in_quotes = message.front() == '\'' || message.front() == '"';
        const std::size_t close =
            in_quotes ? message.find(message.front(), 1) : std::string_view::npos;
        const std::size_t size =
            close != std::string_view::npos
                ? close + 1
                : std::min(std::max<std::size_t>(message.find_first_of(" '\"", 1), 1),
                           message.size());
        if (!is_path(message.substr(0, size))) left += message.substr(0, size);
        message.remove_prefix(size);
    }
    return left;
}

std::string source_of(const TracebackText& traceback) {
    return traceback.recorded ? "exception" : "stderr";
}

}  // namespace holdfast
