// Computes a caller's registers from those of the function it called, by a row of the unwind
// tables. Pure: a function argument reads memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "native/cfi.h"
#include "record/agent_format.h"

namespace holdfast {

// Eight bytes of the process's memory at the crash; nothing if they are unknown.
using ReadMemory = std::function<std::optional<std::uint64_t>(std::uint64_t address)>;

struct CfiState {
    std::uint64_t pc = 0;
    std::array<std::optional<std::uint64_t>, cfi_registers> registers;  // by DWARF's numbers
};

// The number of the stack pointer.
unsigned cfi_stack_pointer(format::CrashMachine machine);

// Nothing where the stack ends, or where a value that is needed is not known: never a guess.
std::optional<CfiState> cfi_caller(const CfiRow& row, const CfiState& at,
                                   format::CrashMachine machine, const ReadMemory& memory);

// The value of a DWARF expression, with `first` on the stack at its start, if given.
std::optional<std::uint64_t> cfi_value(std::span<const std::byte> expression, const CfiState& at,
                                       const ReadMemory& memory,
                                       std::optional<std::uint64_t> first);

}  // namespace holdfast
