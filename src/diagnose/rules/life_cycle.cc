// HF901, HF902 and HF907: it finished, an exception ended it, or it called exit.
#include <map>
#include <utility>

#include "diagnose/death/witnesses.h"
#include "diagnose/facts/ends.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/last_text.h"
#include "knowledge/own_code.h"
#include "model/own_code.h"

namespace holdfast::rules {
namespace {

// Python exits with 1 after an uncaught exception. On a terminal, stderr is not kept, and this is
// the likeliest reason.
bool looks_like_exception(const Autopsy& death) {
    return death.python() && death.exit.code == 1 && !death.all.stderr_seen &&
           death.exception == nullptr && death.exit_call == nullptr;
}

void take_place_of_exit(Finding& finding, const Autopsy& death) {
    const ExitCallEvidence* call = death.exit_call;
    if (call == nullptr) return;
    if (const std::optional<Where> where = own_place(call->frames)) finding.where = where;
}

// os._exit(0) in the user's own code looks like success, but skips whatever was still to come.
bool skipped_the_rest(const ExitCallEvidence* call) {
    return call != nullptr && call->how == ExitCallEvidence::How::os_exit &&
           own_place(call->frames).has_value();
}

// A library's exception may be one of the named causes with a message that no table has. Python's
// own exceptions mean the same everywhere.
bool words_of_a_library(const TracebackText& traceback) {
    if (traceback.frames.empty()) return false;
    const std::string& file = traceback.frames.back().file;
    if (home_of_code(file.data(), file.size()) != CodeHome::package) return false;
    for (const std::string_view mistake :
         {"KeyError", "TypeError", "NameError", "AttributeError", "ImportError",
          "ModuleNotFoundError", "AssertionError", "NotImplementedError", "FileNotFoundError",
          "KeyboardInterrupt", "RecursionError", "ZeroDivisionError"})
        if (traceback.type == mistake) return false;
    return true;
}

// Python stops a recursion at any line; the line that calls itself is the most frequent one in the
// traceback.
std::optional<Where> recurring_line(const TracebackText& traceback) {
    std::map<std::pair<std::string, int>, int> lines;
    const Frame* most = nullptr;
    int often = 2;  // fewer repetitions are no visible recursion
    for (const Frame& frame : traceback.frames) {
        if (!frame.line || !is_own_code(frame.file)) continue;
        const int times = ++lines[{frame.file, *frame.line}];
        if (times <= often) continue;
        often = times;
        most = &frame;
    }
    if (most == nullptr) return std::nullopt;
    return Where{most->file, *most->line, most->function, {}};
}

}  // namespace

std::optional<Finding> clean_exit(const Autopsy& death) {
    if (death.exit.code != 0 || exit_left_a_cell(death)) return std::nullopt;
    Finding finding =
        finding_about(death, "clean-exit"_cause, Confidence::certain, facts::CleanExit{});
    take_place_of_exit(finding, death);
    return finding;
}

std::optional<Finding> exception(const Autopsy& death) {
    if (looks_like_exception(death))
        return finding_about(death, "exception"_cause, Confidence::likely,
                             facts::UncaughtException{});
    const TracebackText* traceback = death.exception;
    if (traceback == nullptr || death.exit.code.value_or(1) != 1) return std::nullopt;
    const bool sure = death.exit_known() && !words_of_a_library(*traceback);
    Finding finding =
        finding_about(death, "exception"_cause, sure ? Confidence::certain : Confidence::likely,
                      facts::UncaughtException{exception_line(*traceback), source_of(*traceback)});
    finding.topic = topic_of(*traceback);
    if (traceback->type == "RecursionError")
        if (const std::optional<Where> where = recurring_line(*traceback)) finding.where = where;
    return finding;
}

std::optional<Finding> exit_called(const Autopsy& death) {
    if (!death.exit.code || looks_like_exception(death)) return std::nullopt;
    const ExitCallEvidence* call = death.exit_call;
    if (*death.exit.code == 0 && !exit_left_a_cell(death) && !skipped_the_rest(call))
        return std::nullopt;
    if (call == nullptr && exception_decided_exit(death)) return std::nullopt;
    // The agent records only uncaught exceptions: then the exception ended it, and not the exit
    // call.
    if (call != nullptr && exception_decided_exit(death) && death.exception->recorded)
        return std::nullopt;
    const bool words_seen = call != nullptr || (death.decides && death.all.stderr_seen);
    Finding finding =
        finding_about(death, "exit-called"_cause,
                      words_seen ? Confidence::certain : Confidence::likely, facts::ExitCalled{});
    finding.where.reset();  // a printed traceback is not where it exited
    take_place_of_exit(finding, death);
    return finding;
}

}  // namespace holdfast::rules
