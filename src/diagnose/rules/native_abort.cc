// HF303 and HF307: native code gave up with SIGABRT; its last words say over what.
#include <fmt/format.h>

#include <csignal>

#include "diagnose/last_text.h"
#include "diagnose/python_dump.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {

std::optional<Finding> heap_corruption(const Death& death) {
    if (!death.by(SIGABRT)) return std::nullopt;
    const std::optional<Said> said = said_last(
        death, {"free(): ", "double free or corruption", "malloc(): ", "realloc(): ",
                "malloc_consolidate(): ", "corrupted size vs. prev_size", "corrupted double-linked",
                "munmap_chunk(): invalid pointer", "malloc_printerr"});
    if (!said) return std::nullopt;
    Finding finding =
        finding_about(death, "heap-corruption"_cause,
                      death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                      fmt::format("glibc found the heap of {} damaged and stopped it: {}.",
                                  who(death), shortened(said->line)));
    finding.evidence.push_back({"stderr", shortened(said->line)});
    finding.fixes.push_back(
        {"The damage was done earlier, by native code that wrote beyond a block "
         "or freed it twice. Find the write itself.",
         "valgrind --tool=memcheck CMD"});
    if (death.python())
        finding.fixes.push_back({"Let glibc and Python check more, nearer to the damage.",
                                 "PYTHONMALLOC=debug MALLOC_CHECK_=3"});
    return finding;
}

std::optional<Finding> native_abort(const Death& death) {
    if (!death.by(SIGABRT)) return std::nullopt;
    const std::optional<Said> said = said_last(
        death, {"terminate called", "Assertion", "assertion", "Check failed", "CHECK failed",
                "what():", "libc++abi", "FATAL", "Fatal", "fatal", "panicked at", "*** ", "abort"});
    const Confidence confidence =
        said && death.sure_of_exit() ? Confidence::certain : Confidence::likely;
    Finding finding = finding_about(
        death, "native-abort"_cause, confidence,
        said ? fmt::format("{} gave up with SIGABRT: {}", who(death), shortened(said->line))
             : fmt::format("{} gave up with SIGABRT; what it said was not seen.", who(death)));
    if (said) finding.evidence.push_back({"stderr", shortened(said->line)});
    finding.fixes.push_back({"See which call gave up.", death.python()
                                                            ? "PYTHONFAULTHANDLER=1"
                                                            : "gdb --args CMD   # then: run, bt"});
    return finding;
}

}  // namespace holdfast::rules
