// From a function's registers to its caller's, as a row of the unwind tables says. Pure: memory
// comes as a function that reads a word of it.
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

// Eight bytes of the process as it was; nothing where they are not known.
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

// A DWARF expression's value, begun with `first` on its stack where there is one.
std::optional<std::uint64_t> cfi_value(std::span<const std::byte> expression, const CfiState& at,
                                       const ReadMemory& memory,
                                       std::optional<std::uint64_t> first);

}  // namespace holdfast
