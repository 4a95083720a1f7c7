// HF301, HF302, HF306, HF308 and HF309: a CPU fault ended the process, recognised by the crash
// record, the kernel log's line, faulthandler's dump, or the signal alone.
#include <csignal>

#include "diagnose/death/witnesses.h"
#include "diagnose/facts/crash.h"
#include "diagnose/rules/rules.h"
#include "model/library_name.h"

namespace holdfast::rules {
namespace {

using facts::Fault;

bool overflowed(const CrashEvidence* crash) { return crash != nullptr && crash->in_stack_guard; }

// Compilers put ud2 where the program must never come.
bool deliberate_trap(const CrashEvidence& crash) { return crash.instruction.starts_with("0f 0b"); }

}  // namespace

std::optional<Finding> segfault(const Autopsy& death) {
    if (!death.by(SIGSEGV)) return std::nullopt;
    const CrashEvidence* crash = death.crash;
    if (crash != nullptr && (was_sent(*crash) || overflowed(crash))) return std::nullopt;
    // The status alone cannot tell a fault from a `kill -SEGV`; the record, the log or the dump
    // can.
    const bool raised = crash != nullptr && was_raised(*crash);
    const bool decided =
        !raised && (crash != nullptr || crash_line(death) != nullptr || faulthandler_spoke(death));
    Fault fault = Fault::bad_access;
    if (raised)
        fault = Fault::raised_itself;
    else if (crash != nullptr && crash->near_null)
        fault = Fault::null_pointer;
    return finding_about(death, "segfault"_cause, sure_of_crash(death, decided),
                         facts::CpuFault{fault, decided});
}

std::optional<Finding> stack_overflow(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    if (!overflowed(crash) || crash->code <= 0) return std::nullopt;
    if (!death.by(SIGSEGV) && !death.by(SIGBUS)) return std::nullopt;
    // A huge array on the stack ends there, too; only frames that repeat mean recursion.
    return finding_about(death, "stack-overflow"_cause, sure_of_crash(death, crash->frames_repeat),
                         facts::StackOverflow{crash->frames_repeat});
}

// Only in addition to a fault, and never more than likely: it shows which threads were inside, not
// which one is to blame.
std::optional<Finding> native_race(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    if (crash == nullptr || crash->code <= 0 || overflowed(crash) || !death.by(SIGSEGV))
        return std::nullopt;
    for (const SharedLibraryUse& use : crash->shared) {
        if (use.threads < 2 || use.library != crash->library || is_thread_pool_library(use.library))
            continue;
        return finding_about(death, "native-race"_cause, sure_of_crash(death, false),
                             facts::NativeRace{&use});
    }
    return std::nullopt;
}

std::optional<Finding> illegal_instruction(const Autopsy& death) {
    if (!death.by(SIGILL)) return std::nullopt;
    const CrashEvidence* crash = death.crash;
    if (crash != nullptr && was_sent(*crash)) return std::nullopt;
    const bool raised = crash != nullptr && was_raised(*crash);
    const bool trap = crash != nullptr && deliberate_trap(*crash);
    // Without the bytes a compiler's trap for "cannot happen" looks the same.
    const bool decided = crash != nullptr && !crash->instruction.empty() && !trap && !raised;
    Fault fault = decided ? Fault::unknown_instruction : Fault::instruction_or_trap;
    if (trap) fault = Fault::deliberate_trap;
    if (raised) fault = Fault::raised_itself;
    return finding_about(death, "illegal-instruction"_cause, sure_of_crash(death, decided),
                         facts::CpuFault{fault, decided});
}

std::optional<Finding> arithmetic_trap(const Autopsy& death) {
    if (!death.by(SIGFPE)) return std::nullopt;
    const CrashEvidence* crash = death.crash;
    if (crash != nullptr && was_sent(*crash)) return std::nullopt;
    const bool raised = crash != nullptr && was_raised(*crash);
    const KernelLogEntry* entry = crash_line(death);
    const bool decided =
        !raised && (crash != nullptr || faulthandler_spoke(death) ||
                    (entry != nullptr && entry->text.find("divide") != std::string::npos));
    return finding_about(
        death, "arithmetic-trap"_cause, sure_of_crash(death, decided),
        facts::CpuFault{raised ? Fault::raised_itself : Fault::bad_division, decided});
}

}  // namespace holdfast::rules
