// HF301, HF302, HF306, HF308 and HF309: the process broke a rule of the CPU, told by the crash
// record, the kernel log's line about it, faulthandler's dump, or the signal alone.
#include <csignal>

#include "base/format.h"
#include "diagnose/crash_finding.h"
#include "diagnose/inside.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"
#include "model/library_name.h"

namespace holdfast::rules {
namespace {

bool overflowed(const CrashEvidence* crash) { return crash != nullptr && crash->in_stack_guard; }

// A handler that passes a fault on, or a program that gives up this way: the signal of a fault, but
// none was seen.
constexpr std::string_view raised_itself = "it raised the signal itself";

// A compiler puts ud2 where the program must not come.
bool deliberate_trap(const CrashEvidence& crash) { return crash.instruction.starts_with("0f 0b"); }

// By its first bytes: EVEX and VEX are the prefixes of AVX-512 and of AVX.
std::string_view instruction_set(const CrashEvidence& crash) {
    if (crash.instruction.starts_with("62 ")) return "AVX-512";
    if (crash.instruction.starts_with("c4 ") || crash.instruction.starts_with("c5 "))
        return "AVX or AVX2";
    return {};
}

}  // namespace

std::optional<Finding> segfault(const Death& death) {
    if (!death.by(SIGSEGV)) return std::nullopt;
    const CrashEvidence* crash = crash_of(death);
    if (crash != nullptr && (was_sent(*crash) || overflowed(crash))) return std::nullopt;
    // The status alone does not tell a fault from a `kill -SEGV`; the record, the log or the dump
    // does.
    const bool raised = crash != nullptr && was_raised(*crash);
    const bool decided =
        !raised && (crash != nullptr || crash_line(death) != nullptr || faulthandler_spoke(death));
    std::string_view what = "native code touched memory it does not have";
    if (raised)
        what = raised_itself;
    else if (crash != nullptr && crash->near_null)
        what = "native code followed a null pointer";
    Finding finding = crash_finding(death, "segfault"_cause, what, decided);
    add_crash_fixes(finding, death);
    return finding;
}

std::optional<Finding> stack_overflow(const Death& death) {
    const CrashEvidence* crash = crash_of(death);
    if (!overflowed(crash) || crash->code <= 0) return std::nullopt;
    if (!death.by(SIGSEGV) && !death.by(SIGBUS)) return std::nullopt;
    // One huge array on the stack ends there as well; frames that repeat are recursion.
    Finding finding = crash_finding(death, "stack-overflow"_cause,
                                    crash->frames_repeat ? "recursion used up the thread's C stack"
                                                         : "the thread's C stack was used up",
                                    crash->frames_repeat);
    finding.evidence.push_back({"fault address", "in the guard below the thread's stack"});
    if (crash->frames_repeat)
        finding.evidence.push_back({"native stack", "the same frames repeat"});
    finding.fixes.push_back({"Bound the recursion, or turn it into a loop.", {}});
    finding.fixes.push_back({"Give the thread a larger stack.",
                             "ulimit -s unlimited   # threads: threading.stack_size(512 << 20)"});
    return finding;
}

// Only beside a fault, and never more than likely: it says who was inside, not who broke the rule.
std::optional<Finding> native_race(const Death& death) {
    const CrashEvidence* crash = crash_of(death);
    if (crash == nullptr || crash->code <= 0 || overflowed(crash) || !death.by(SIGSEGV))
        return std::nullopt;
    for (const SharedLibraryUse& use : crash->shared) {
        if (use.threads < 2 || use.library != crash->library || is_thread_pool_library(use.library))
            continue;
        Finding finding =
            crash_finding(death, "native-race"_cause,
                          formatted("{} threads were inside the same library", use.threads), false);
        finding.evidence.push_back(
            {"threads", formatted("{} inside {}", use.threads, use.library)});
        finding.fixes.push_back(
            {"Do not share what this library works on between threads: one "
             "handle per thread, or a lock around every call.",
             {}});
        return finding;
    }
    return std::nullopt;
}

std::optional<Finding> illegal_instruction(const Death& death) {
    if (!death.by(SIGILL)) return std::nullopt;
    const CrashEvidence* crash = crash_of(death);
    if (crash != nullptr && was_sent(*crash)) return std::nullopt;
    const bool raised = crash != nullptr && was_raised(*crash);
    const bool trap = crash != nullptr && deliberate_trap(*crash);
    // Without the bytes a compiler's trap for "cannot happen" looks the same.
    const bool decided = crash != nullptr && !crash->instruction.empty() && !trap && !raised;
    std::string_view what = "an instruction this CPU does not have, or a deliberate trap";
    if (decided) what = "an instruction this CPU does not have";
    if (trap) what = "a trap instruction (ud2), put where the code must never come";
    if (raised) what = raised_itself;
    Finding finding = crash_finding(death, "illegal-instruction"_cause, what, decided);
    if (decided) {
        const std::string_view set = instruction_set(*crash);
        finding.evidence.push_back(
            {"instruction",
             set.empty() ? crash->instruction : formatted("{} ({})", crash->instruction, set)});
    }
    finding.fixes.push_back(
        {"Compare what the library was built for with what this CPU has; take a "
         "build for older CPUs.",
         "grep -m1 flags /proc/cpuinfo"});
    add_crash_fixes(finding, death);
    return finding;
}

std::optional<Finding> arithmetic_trap(const Death& death) {
    if (!death.by(SIGFPE)) return std::nullopt;
    const CrashEvidence* crash = crash_of(death);
    if (crash != nullptr && was_sent(*crash)) return std::nullopt;
    const bool raised = crash != nullptr && was_raised(*crash);
    const KernelLogEntry* entry = crash_line(death);
    const bool decided =
        !raised && (crash != nullptr || faulthandler_spoke(death) ||
                    (entry != nullptr && entry->text.find("divide") != std::string::npos));
    Finding finding = crash_finding(
        death, "arithmetic-trap"_cause,
        raised ? raised_itself : "native code divided an integer by zero or overflowed a division",
        decided);
    add_crash_fixes(finding, death);
    return finding;
}

}  // namespace holdfast::rules
