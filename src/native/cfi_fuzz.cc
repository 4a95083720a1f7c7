// Unwind tables may come from anybody: whatever they hold, unwinding must end, and read nothing
// beyond the file.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "native/cfi_step.h"
#include "native/cfi_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast;
    const ReadFile file = CfiTable::reader_of({data, data + size});
    CfiState state;
    for (std::size_t i = 0; i < cfi_registers; ++i) state.registers[i] = 0x7000 + 8 * i;
    const ReadMemory memory = [](std::uint64_t address) -> std::optional<std::uint64_t> {
        if (address % 3 == 0) return std::nullopt;
        return address * 31;
    };
    for (std::uint64_t within = 0; within < CfiTable::function_size; within += 5) {
        const auto row = find_cfi(file, CfiTable::header, CfiTable::function + within);
        if (!row) continue;
        for (const auto machine : {format::CrashMachine::x86_64, format::CrashMachine::aarch64})
            cfi_caller(*row, state, machine, memory);
    }
    return 0;
}
