// From registers and a copy of the stack to the addresses of the calls, by the unwind tables of the
// files that were mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "native/modules.h"
#include "record/crash_box.h"

namespace holdfast {

struct RawFrame {
    std::uint64_t pc = 0;
    bool call = false;                // pc is a return address: the call lies before it
    bool trampoline = false;          // where a signal handler returns to
    std::optional<std::uint64_t> sp;  // where the frame's own part of the stack begins

    // An address within the instruction that was running.
    std::uint64_t instruction() const { return call ? pc - 1 : pc; }
};

struct Unwound {
    std::vector<RawFrame> frames;  // innermost first
    std::string missing;           // why there is no more than the first; else empty
};

// Ends where the stack ends, at the first frame that no unwind table describes, or where the copy
// of the stack stops: never a guess.
Unwound unwind_frames(const CrashRecord& crash, const NativeModules& modules, std::size_t most);
// The faulting place alone.
Unwound unwind_fault(const CrashRecord& crash);

// After a call or jump to where no code is: the frame that did it, if the stack (or the link
// register) shows a return address behind a call instruction. The registers are then its own.
struct Registers {
    std::uint64_t pc = 0, sp = 0;
    bool returned = false;             // pc is a return address
    std::vector<std::uint64_t> dwarf;  // by DWARF number: x86_64 0 to 16, aarch64 x0 to sp
};
std::optional<Registers> registers_of(const CrashRecord& crash);
std::optional<Registers> caller_of_nowhere(const CrashRecord& crash, const NativeModules& modules,
                                           const Registers& at);
// Eight bytes of the process as it was: of the stack copy, or of code and constants in the files.
std::optional<std::uint64_t> read_word(const CrashRecord& crash, const NativeModules& modules,
                                       std::uint64_t address);

}  // namespace holdfast
