// The unwind tables of an ELF file (.eh_frame_hdr, .eh_frame): for an address of code, where the
// registers of its caller are. Pure: a function argument reads the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace holdfast {

// Registers by DWARF's numbers: x86_64 0 to 16 (rip), aarch64 0 to 31 (sp).
inline constexpr std::size_t cfi_registers = 32;

// Where one of the caller's values is. The CFA is the stack pointer as it was before the call.
struct CfiRule {
    enum class Kind : std::uint8_t {
        unsaid,         // no rule: still in its register if calls preserve that one
        undefined,      // lost; for the return address: there is no caller
        same,           // still in its register
        at_cfa,         // in memory, at CFA + offset
        cfa,            // the value is CFA + offset
        at_expression,  // in memory, where the expression says
        expression,     // the value is what the expression yields
        in_register,    // the value is that register + offset
    };
    Kind kind = Kind::unsaid;
    unsigned from = 0;
    std::int64_t offset = 0;
    std::vector<std::byte> expression;
};

struct CfiRow {
    CfiRule cfa;
    std::array<CfiRule, cfi_registers> registers;
    unsigned return_address = 0;  // the register whose rule gives the caller's pc
    bool signal_frame = false;    // made by the kernel: the caller was interrupted and made no call
    bool signed_return = false;   // aarch64: the upper bits are a signature
};

// Fills `into` from an address in the file; false if the file has nothing there.
using ReadFile = std::function<bool(std::uint64_t address, void* into, std::size_t size)>;

// Nothing where no table describes the address, or where the table is not understood.
std::optional<CfiRow> find_cfi(const ReadFile& file, std::uint64_t eh_frame_hdr, std::uint64_t pc);

}  // namespace holdfast
