// The state that unwinding starts from: registers in DWARF's order, and the memory in the record.
#include <array>
#include <cstring>

#include "native/unwind.h"

namespace holdfast {
namespace {

using format::CrashMachine;

// gregset_t's place of each DWARF register: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip.
constexpr std::array<std::size_t, 17> x86_64_order{13, 12, 14, 11, 9, 8, 10, 15, 0,
                                                   1,  2,  3,  4,  5, 6, 7,  16};
constexpr std::size_t rsp = 7, rip = 16;
constexpr std::size_t aarch64_link = 30, aarch64_sp = 31;

bool after_call(CrashMachine machine, const NativeModule& module, std::uint64_t address) {
    const std::uint64_t there = address - module.bias;
    std::array<unsigned char, 7> code{};
    if (machine == CrashMachine::aarch64) {
        std::uint32_t word = 0;
        if (!module.file.read_address(there - 4, &word, sizeof(word))) return false;
        // bl, blr
        return (word & 0xfc000000U) == 0x94000000U || (word & 0xfffffc1fU) == 0xd63f0000U;
    }
    if (!module.file.read_address(there - code.size(), code.data(), code.size())) return false;
    // call rel32 (e8); or call r/m64: ff /2, two to seven bytes long with its operand, as the
    // second byte tells.
    if (code[2] == 0xe8) return true;
    for (std::size_t length = 2; length <= 7; ++length) {
        const std::size_t at = code.size() - length;
        if (code[at] != 0xff || ((code[at + 1] >> 3U) & 7U) != 2) continue;
        const unsigned mode = code[at + 1] >> 6U, base = code[at + 1] & 7U;
        std::size_t size = 2;
        if (mode != 3 && base == 4) ++size;
        if (mode == 1) size += 1;
        if (mode == 2 || (mode == 0 && base == 5)) size += 4;
        if (mode == 0 && base == 4 && (code[at + 2] & 7U) == 5) size += 4;
        if (size == length) return true;
    }
    return false;
}

}  // namespace

std::optional<Registers> registers_of(const CrashRecord& crash) {
    Registers found;
    if (crash.machine == CrashMachine::x86_64 && crash.registers.size() > x86_64_order.back()) {
        for (const std::size_t from : x86_64_order) found.dwarf.push_back(crash.registers[from]);
        found.sp = found.dwarf[rsp];
        found.pc = found.dwarf[rip];
        return found;
    }
    if (crash.machine == CrashMachine::aarch64 && crash.registers.size() > aarch64_sp + 1) {
        found.dwarf.assign(crash.registers.begin(), crash.registers.begin() + aarch64_sp + 1);
        found.sp = found.dwarf[aarch64_sp];
        found.pc = crash.registers[aarch64_sp + 1];
        return found;
    }
    return std::nullopt;
}

std::optional<Registers> caller_of_nowhere(const CrashRecord& crash, const NativeModules& modules,
                                           const Registers& at) {
    // Only for a pc outside any mapping. Anonymous code is somewhere: it was made at run time, and
    // nobody knows how it uses its stack.
    if (modules.mapping(at.pc) != nullptr || crash.address != at.pc) return std::nullopt;
    Registers caller = at;
    caller.returned = true;
    if (crash.machine == CrashMachine::aarch64) {
        caller.pc = at.dwarf[aarch64_link];
    } else {
        const auto word = read_word(crash, modules, at.sp);
        if (!word) return std::nullopt;
        caller.pc = *word;
        caller.sp = at.sp + 8;
        caller.dwarf[rsp] = caller.sp;
        caller.dwarf[rip] = caller.pc;
    }
    const NativeModule* module = modules.file(caller.pc - 1);
    if (module == nullptr || !after_call(crash.machine, *module, caller.pc)) return std::nullopt;
    return caller;
}

std::optional<std::uint64_t> read_word(const CrashRecord& crash, const NativeModules& modules,
                                       std::uint64_t address) {
    std::uint64_t word = 0;
    const std::uint64_t within = address - crash.stack_from;
    if (address >= crash.stack_from && within < crash.stack.size() &&
        crash.stack.size() - within >= sizeof(word)) {
        std::memcpy(&word, crash.stack.data() + within, sizeof(word));
        return word;
    }
    const NativeModule* module = modules.file(address);
    if (module != nullptr && module->file.read_address(address - module->bias, &word, sizeof(word)))
        return word;
    return std::nullopt;
}

}  // namespace holdfast
