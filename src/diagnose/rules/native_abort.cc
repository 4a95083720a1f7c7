// HF303 and HF307: native code ended with SIGABRT; its last message says why.
#include <csignal>

#include "diagnose/death/witnesses.h"
#include "diagnose/facts/crash.h"
#include "diagnose/rules/rules.h"
#include "diagnose/shutdown_request.h"
#include "diagnose/text/last_text.h"

namespace holdfast::rules {
namespace {

std::optional<Said> heap_words(const Autopsy& death) {
    return said_last(
        death, {"free(): ", "double free or corruption", "malloc(): ", "realloc(): ",
                "malloc_consolidate(): ", "corrupted size vs. prev_size", "corrupted double-linked",
                "munmap_chunk(): invalid pointer", "malloc_printerr"});
}

// The uncaught exception: "what(): no such file".
std::string thrown(const CrashEvidence& crash) {
    return crash.exception_what.empty() ? crash.exception_type
                                        : crash.exception_type + ": " + crash.exception_what;
}

}  // namespace

std::optional<Finding> heap_corruption(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    const bool in_allocator = crash != nullptr && crash->in_allocator && !was_sent(*crash) &&
                              (death.by(SIGABRT) || !was_raised(*crash));
    if (!death.by(SIGABRT) && !(death.by(SIGSEGV) && in_allocator)) return std::nullopt;
    const std::optional<Said> said = death.by(SIGABRT) ? heap_words(death) : std::nullopt;
    if (!said && !in_allocator) return std::nullopt;
    return finding_about(death, "heap-corruption"_cause,
                         said && death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                         facts::HeapCorruption{said});
}

std::optional<Finding> native_abort(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    if (!death.by(SIGABRT) || gave_up_at_shutdown(death)) return std::nullopt;
    if (crash != nullptr && was_sent(*crash)) return std::nullopt;
    std::optional<Said> said;
    if (crash != nullptr && !crash->exception_type.empty())
        said = Said{thrown(*crash), true, "uncaught C++ exception"};
    if (!said)
        said = said_last(death, {"terminate called", "Assertion", "assertion", "Check failed",
                                 "CHECK failed", "what():", "libc++abi", "FATAL", "Fatal", "fatal",
                                 "panicked at", "OMP: Error #", "*** ", "abort"});
    const bool decided = said || (crash != nullptr && !crash->native.empty());
    return finding_about(death, "native-abort"_cause,
                         decided && death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                         facts::NativeAbort{said});
}

}  // namespace holdfast::rules
