// HF901, HF902 and HF907: it finished, an exception ended it, or it chose its exit status.
#include "base/format.h"
#include "diagnose/inside.h"
#include "diagnose/last_text.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

// Python ends with 1 after an exception nobody caught; at a terminal, where its words are not kept,
// that is what it will have been.
bool looks_like_exception(const Death& death) {
    return death.python() && death.exit.code == 1 && !death.all.stderr_seen &&
           final_exception(death) == nullptr && exit_call_of(death) == nullptr;
}

// "sys.exit(3)"
std::string spelled(const ExitCallEvidence& call) {
    switch (call.how) {
    case ExitCallEvidence::How::sys_exit: return formatted("sys.exit({})", call.status);
    case ExitCallEvidence::How::os_exit: return formatted("os._exit({})", call.status);
    case ExitCallEvidence::How::c_exit: break;
    }
    return formatted("exit({}) from native code", call.status);
}

void add_exit_call(Finding& finding, const ExitCallEvidence& call) {
    const std::optional<Where> where = own_place(call.frames);
    if (where) finding.where = where;
    finding.evidence.push_back(
        {"exit called", where ? spelled(call) + " at " + short_place(*where) : spelled(call)});
}

// os._exit(0) in the user's own code looks like success, but leaves out all that was still to come.
bool skipped_the_rest(const ExitCallEvidence* call) {
    return call != nullptr && call->how == ExitCallEvidence::How::os_exit &&
           own_place(call->frames).has_value();
}

// What a library raises may be one of the causes with a name, in words that no table has. Python's
// own words for a mistake mean the same everywhere.
bool words_of_a_library(const TracebackText& traceback) {
    if (traceback.frames.empty()) return false;
    const std::string& file = traceback.frames.back().file;
    if (file.find("/site-packages/") == std::string::npos &&
        file.find("/dist-packages/") == std::string::npos)
        return false;
    for (const std::string_view mistake :
         {"KeyError", "TypeError", "NameError", "AttributeError", "ImportError",
          "ModuleNotFoundError", "AssertionError", "NotImplementedError", "FileNotFoundError",
          "KeyboardInterrupt", "RecursionError", "ZeroDivisionError"})
        if (traceback.type == mistake) return false;
    return true;
}

}  // namespace

std::optional<Finding> clean_exit(const Death& death) {
    if (death.exit.code != 0 || exit_left_a_cell(death)) return std::nullopt;
    Finding finding = finding_about(death, "clean-exit"_cause, Confidence::certain,
                                    formatted("{} finished.", who(death)));
    if (const ExitCallEvidence* call = exit_call_of(death)) add_exit_call(finding, *call);
    return finding;
}

std::optional<Finding> exception(const Death& death) {
    if (looks_like_exception(death))
        return finding_about(
            death, "exception"_cause, Confidence::likely,
            formatted("{} ended with exit status 1, as Python does after an exception nobody "
                      "caught; its words were not kept.",
                      who(death)));
    const TracebackText* traceback = final_exception(death);
    if (traceback == nullptr || death.exit.code.value_or(1) != 1) return std::nullopt;
    const bool sure = death.exit_known() && !words_of_a_library(*traceback);
    Finding finding =
        finding_about(death, "exception"_cause, sure ? Confidence::certain : Confidence::likely,
                      formatted("{} ended with an exception nobody caught: {}", who(death),
                                shortened(exception_line(*traceback))));
    finding.evidence.push_back({source_of(*traceback), shortened(exception_line(*traceback))});
    finding.topic = topic_of(*traceback);
    return finding;
}

std::optional<Finding> exit_called(const Death& death) {
    if (!death.exit.code || looks_like_exception(death)) return std::nullopt;
    const ExitCallEvidence* call = exit_call_of(death);
    if (*death.exit.code == 0 && !exit_left_a_cell(death) && !skipped_the_rest(call))
        return std::nullopt;
    if (call == nullptr && exception_decided_exit(death)) return std::nullopt;
    // An exception that went by before sys.exit was caught; one after it was not.
    if (call != nullptr && exception_decided_exit(death) && final_exception(death)->recorded)
        return std::nullopt;
    const int code = *death.exit.code;
    const bool words_seen = call != nullptr || (death.decides && death.all.stderr_seen);
    Finding finding = finding_about(
        death, "exit-called"_cause, words_seen ? Confidence::certain : Confidence::likely,
        formatted("{} ended itself with exit status {}{}.", who(death), code,
                  words_seen ? "" : "; whether an exception came before was not seen"));
    if (const TracebackText* traceback = final_exception(death))
        finding.evidence.push_back(
            {"stderr", "printed before it, and caught: " + shortened(exception_line(*traceback))});
    else if (words_seen && death.decides)
        if (const auto lines = last_lines(death.all.stderr_tail, 1); !lines.empty())
            finding.evidence.push_back({"stderr, last line", shortened(lines.front())});
    finding.where.reset();  // a traceback that was printed is not where it left
    if (call != nullptr) {
        add_exit_call(finding, *call);
        return finding;
    }
    if (code == 127)
        finding.fixes.push_back(
            {"A shell exits with 127 when a command does not exist: check its name "
             "and PATH.",
             {}});
    else if (code == 126)
        finding.fixes.push_back(
            {"A shell exits with 126 when a file cannot be executed: check its mode "
             "and first line.",
             {}});
    else if (code > 128 && code <= 128 + 64 && !death.python())
        finding.fixes.push_back(
            {formatted("{} is how a program passes on that what it started was ended by {}: look "
                       "where that ran.",
                       code, signal_name(code - 128)),
             {}});
    else if (death.python())
        finding.fixes.push_back({"Look for sys.exit, exit or os._exit with this status.",
                                 formatted("grep -rnE '(exit|_exit)\\(' --include='*.py' .")});
    return finding;
}

}  // namespace holdfast::rules
