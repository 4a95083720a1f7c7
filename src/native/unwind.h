// From registers and a copy of the stack to the addresses of the calls, by the unwind tables of the
// mapped files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "native/modules.h"
#include "record/crash_box.h"

namespace holdfast {

struct UnwoundFrame {
    std::uint64_t pc = 0;
    bool call = false;                // pc is a return address, just behind the call
    bool trampoline = false;          // where a signal handler returns to
    std::optional<std::uint64_t> sp;  // where the frame's own part of the stack begins

    // An address within the instruction that was running.
    std::uint64_t instruction() const { return call ? pc - 1 : pc; }
};

struct Unwound {
    std::vector<UnwoundFrame> frames;  // innermost first
    std::string missing;               // why there is only the first frame; else empty
};

// Ends at the end of the stack, at the first frame without an unwind table, or where the copy of
// the stack ends: never a guess.
Unwound unwind_frames(const CrashRecord& crash, const NativeModules& modules, std::size_t most);
// The faulting place alone.
Unwound unwind_fault(const CrashRecord& crash);

// If the pc is where no code is: the function that called or jumped there, if the stack (or the
// link register) has a return address right behind a call instruction. The registers are then that
// function's.
struct Registers {
    std::uint64_t pc = 0, sp = 0;
    bool returned = false;             // pc is a return address
    std::vector<std::uint64_t> dwarf;  // by DWARF number: x86_64 0 to 16, aarch64 x0 to sp
};
std::optional<Registers> registers_of(const CrashRecord& crash);
std::optional<Registers> caller_of_nowhere(const CrashRecord& crash, const NativeModules& modules,
                                           const Registers& at);
// Eight bytes of the process's memory at the crash: from the stack copy, or code and constants from
// the files.
std::optional<std::uint64_t> read_word(const CrashRecord& crash, const NativeModules& modules,
                                       std::uint64_t address);

}  // namespace holdfast
