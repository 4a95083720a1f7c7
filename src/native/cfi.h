// The unwind tables of an ELF file (.eh_frame_hdr, .eh_frame): for an address of code, where its
// caller's registers are. Pure: the file comes as a function that reads it.
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

// Where a value of the caller is. The CFA is the stack pointer as it was before the call.
struct CfiRule {
    enum class Kind : std::uint8_t {
        unsaid,         // nothing said: still in its register, if calls keep that one
        undefined,      // lost; of the return address: nobody called
        same,           // still in its register
        at_cfa,         // in memory, at CFA + offset
        cfa,            // is CFA + offset
        at_expression,  // in memory, where the expression says
        expression,     // is what the expression says
        in_register,    // is that register's value + offset
    };
    Kind kind = Kind::unsaid;
    unsigned from = 0;
    std::int64_t offset = 0;
    std::vector<std::byte> expression;
};

struct CfiRow {
    CfiRule cfa;
    std::array<CfiRule, cfi_registers> registers;
    unsigned return_address = 0;  // which register's rule gives the caller's pc
    bool signal_frame = false;    // made by the kernel: the caller was interrupted, it did not call
    bool signed_return = false;   // aarch64: the upper bits are a signature
};

// Fills `into` from the file's own addresses; false where the file has nothing there.
using ReadFile = std::function<bool(std::uint64_t address, void* into, std::size_t size)>;

// Nothing where no table describes the address, or where the table is not understood.
std::optional<CfiRow> find_cfi(const ReadFile& file, std::uint64_t eh_frame_hdr, std::uint64_t pc);

}  // namespace holdfast
