// HF303 and HF307: native code gave up with SIGABRT; its last words say over what.
#include <csignal>

#include "base/format.h"
#include "diagnose/inside.h"
#include "diagnose/last_text.h"
#include "diagnose/python_dump.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

std::optional<Said> heap_words(const Death& death) {
    return said_last(
        death, {"free(): ", "double free or corruption", "malloc(): ", "realloc(): ",
                "malloc_consolidate(): ", "corrupted size vs. prev_size", "corrupted double-linked",
                "munmap_chunk(): invalid pointer", "malloc_printerr"});
}

// "what(): no such file" of the exception nobody caught.
std::string thrown(const CrashEvidence& crash) {
    return crash.exception_what.empty() ? crash.exception_type
                                        : crash.exception_type + ": " + crash.exception_what;
}

}  // namespace

std::optional<Finding> heap_corruption(const Death& death) {
    const CrashEvidence* crash = crash_of(death);
    const bool in_allocator = crash != nullptr && crash->in_allocator && !was_sent(*crash) &&
                              (death.by(SIGABRT) || !was_raised(*crash));
    if (!death.by(SIGABRT) && !(death.by(SIGSEGV) && in_allocator)) return std::nullopt;
    const std::optional<Said> said = death.by(SIGABRT) ? heap_words(death) : std::nullopt;
    if (!said && !in_allocator) return std::nullopt;
    Finding finding = finding_about(
        death, "heap-corruption"_cause,
        said && death.sure_of_exit() ? Confidence::certain : Confidence::likely,
        said ? formatted("glibc found the heap of {} damaged and stopped it: {}.", who(death),
                         shortened(said->line))
             : formatted("{} crashed inside the allocator itself: its heap was damaged before.",
                         who(death)));
    if (said) finding.evidence.push_back({said->source, shortened(said->line)});
    if (crash != nullptr && !native_place(*crash).empty())
        finding.evidence.push_back({"noticed in", shortened(native_place(*crash))});
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
    const CrashEvidence* crash = crash_of(death);
    if (!death.by(SIGABRT)) return std::nullopt;
    if (crash != nullptr && was_sent(*crash)) return std::nullopt;
    const std::string place = crash != nullptr ? native_place(*crash) : std::string();
    std::optional<Said> said;
    if (crash != nullptr && !crash->exception_type.empty())
        said = Said{thrown(*crash), true, "uncaught C++ exception"};
    if (!said)
        said = said_last(death, {"terminate called", "Assertion", "assertion", "Check failed",
                                 "CHECK failed", "what():", "libc++abi", "FATAL", "Fatal", "fatal",
                                 "panicked at", "OMP: Error #", "*** ", "abort"});
    const bool decided = said || (crash != nullptr && !crash->native.empty());
    const std::string in = place.empty() ? "" : formatted(" in {}", shortened(place));
    const std::string signal = signal_name(*death.exit.signal);
    Finding finding = finding_about(
        death, "native-abort"_cause,
        decided && death.sure_of_exit() ? Confidence::certain : Confidence::likely,
        said ? formatted("{} gave up with {}{}: {}", who(death), signal, in, shortened(said->line))
             : formatted("{} gave up with {}{}; what it said was not seen.", who(death), signal,
                         in));
    if (said) finding.evidence.push_back({said->source, shortened(said->line)});
    if (!place.empty()) finding.evidence.push_back({"native stack", shortened(place)});
    if (crash == nullptr)
        finding.fixes.push_back(
            {"See which call gave up.",
             death.python() ? "PYTHONFAULTHANDLER=1" : "gdb --args CMD   # then: run, bt"});
    return finding;
}

}  // namespace holdfast::rules
