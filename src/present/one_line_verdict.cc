// The verdict in one line, for ends that need no more.
#include "base/format.h"
#include "present/headline.h"
#include "present/place.h"
#include "present/terminal_verdict.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

std::string status_of(const ExitStatus& exit) {
    if (exit.signal) return " (" + signal_name(*exit.signal) + ')';
    if (exit.code) return formatted(" with status {}", *exit.code);
    return {};
}

std::string what_happened(const Verdict& verdict) {
    const CauseId cause = verdict.end.cause;
    if (verdict.outcome == Outcome::running) return "still running";
    if (cause == "exit-called"_cause) return "exited" + status_of(verdict.exit);
    if (cause == "interrupted"_cause) return "interrupted";
    if (cause == "exception"_cause)
        return "ended by an unhandled exception" + status_of(verdict.exit);
    std::string text = headline_of(verdict.end);
    if (text[0] >= 'A' && text[0] <= 'Z' && text.substr(0, 3) != "GPU" && text[1] >= 'a')
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

}  // namespace

std::string one_line_verdict(const Verdict& verdict) {
    std::string line = "holdfast: " + what_happened(verdict);
    if (const auto& where = verdict.end.where; where && where->line)
        line += " at " + place_name(shorten_front(safe_line(where->file, Style{}), 40, Style{}),
                                    where->line);
    if (verdict.outcome != Outcome::running)
        line += formatted(" ({} {})", verdict.end.cause->code, verdict.end.cause->slug);
    return line + "; details: holdfast why\n";
}

bool deserves_full_panel(const Verdict& verdict) {
    if (verdict.outcome == Outcome::finished || verdict.outcome == Outcome::running) return false;
    if (verdict.outcome == Outcome::stuck || !(verdict.root.cause == verdict.end.cause))
        return true;
    const CauseId end = verdict.end.cause;
    return !(end == "exception"_cause || end == "interrupted"_cause || end == "exit-called"_cause);
}

}  // namespace holdfast
