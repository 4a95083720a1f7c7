#include "native/cfi_step.h"

namespace holdfast {
namespace {

using format::CrashMachine;
using Kind = CfiRule::Kind;

constexpr unsigned x86_64_rsp = 7, aarch64_sp_number = 31;

// Whether functions preserve a register for their caller.
bool kept_by_calls(CrashMachine machine, std::size_t number) {
    if (machine == CrashMachine::aarch64) return number >= 19 && number <= 29;
    return number == 3 || number == 6 || (number >= 12 && number <= 15);
}

std::optional<std::uint64_t> plus(std::optional<std::uint64_t> value, std::int64_t offset) {
    if (value) *value += static_cast<std::uint64_t>(offset);
    return value;
}

std::optional<std::uint64_t> register_of(const CfiState& at, unsigned number) {
    return number < cfi_registers ? at.registers[number] : std::nullopt;
}

std::optional<std::uint64_t> cfa_of(const CfiRow& row, const CfiState& at,
                                    const ReadMemory& memory) {
    if (row.cfa.kind == Kind::in_register)
        return plus(register_of(at, row.cfa.from), row.cfa.offset);
    if (row.cfa.kind == Kind::expression)
        return cfi_value(row.cfa.expression, at, memory, std::nullopt);
    return std::nullopt;
}

}  // namespace

unsigned cfi_stack_pointer(CrashMachine machine) {
    return machine == CrashMachine::aarch64 ? aarch64_sp_number : x86_64_rsp;
}

std::optional<CfiState> cfi_caller(const CfiRow& row, const CfiState& at, CrashMachine machine,
                                   const ReadMemory& memory) {
    const auto cfa = cfa_of(row, at, memory);
    if (!cfa) return std::nullopt;
    const auto value = [&](std::size_t number) -> std::optional<std::uint64_t> {
        const CfiRule& rule = row.registers[number];
        switch (rule.kind) {
        case Kind::unsaid:
            // The return address counts as preserved here: it was read before this call could have
            // overwritten it.
            return row.signal_frame || number == row.return_address ||
                           kept_by_calls(machine, number)
                       ? at.registers[number]
                       : std::nullopt;
        case Kind::undefined: return std::nullopt;
        case Kind::same: return at.registers[number];
        case Kind::at_cfa: return memory(*plus(cfa, rule.offset));
        case Kind::cfa: return plus(cfa, rule.offset);
        case Kind::at_expression: {
            const auto address = cfi_value(rule.expression, at, memory, cfa);
            return address ? memory(*address) : std::nullopt;
        }
        case Kind::expression: return cfi_value(rule.expression, at, memory, cfa);
        case Kind::in_register: return plus(register_of(at, rule.from), rule.offset);
        }
        return std::nullopt;
    };

    auto pc = value(row.return_address);
    if (!pc) return std::nullopt;
    // Code addresses have 48 bits, or 52 on machines where programs ask for more.
    if (row.signed_return) *pc &= (std::uint64_t{1} << 52U) - 1;
    if (*pc == 0) return std::nullopt;
    CfiState caller;
    caller.pc = *pc;
    for (std::size_t number = 0; number < cfi_registers; ++number)
        caller.registers[number] = value(number);
    // The return address of this frame is not the return address of its caller.
    if (!row.signal_frame) caller.registers[row.return_address].reset();
    const unsigned sp = cfi_stack_pointer(machine);
    if (row.registers[sp].kind == Kind::unsaid) caller.registers[sp] = cfa;
    return caller;
}

}  // namespace holdfast
