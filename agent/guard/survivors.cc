#include "agent/guard/survivors.h"

#include <unistd.h>

#include <initializer_list>

#include "agent/base/self_memory.h"
#include "agent/crash/maps.h"
#include "agent/guard/brink_call.h"
#include "agent/guard/recipient.h"
#include "agent/process/own_process.h"
#include "agent/python/library.h"

namespace holdfast::agent {
namespace {

constexpr std::size_t most_ranges = 512;

struct Range {
    std::uint64_t start, end;
    Survival survival;
};

// All code of the process, in the order of its addresses.
struct Code {
    Range ranges[most_ranges];
    std::size_t count = 0;
    std::uint64_t stack_end = 0;
    bool whole = true;
};

void read_code(Code& code, std::uint64_t stack) {
    each_mapping([&](const Mapping& mapping) {
        if (stack >= mapping.start && stack < mapping.end) code.stack_end = mapping.end;
        if (!mapping.executable) return true;
        if (mapping.path == Text("[vdso]") || mapping.path == Text("[vsyscall]")) return true;
        if (code.count == most_ranges) {
            code.whole = false;
            return false;
        }
        code.ranges[code.count++] = {mapping.start, mapping.end, survival_in(mapping.path)};
        return true;
    });
}

const Range* range_of(const Code& code, std::uint64_t address) {
    std::size_t low = 0;
    std::size_t high = code.count;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (address >= code.ranges[middle].end)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == code.count || address < code.ranges[low].start) return nullptr;
    return &code.ranges[low];
}

// Data on the stack may look like an address of code, but rarely like one that follows a call.
bool follows_call(std::uint64_t address) {
#if defined(__x86_64__)
    unsigned char before[7];
    if (!SelfMemory().read(address - sizeof before, before, sizeof before)) return true;
    if (before[2] == 0xE8) return true;                    // to a place
    for (const std::size_t length : {2U, 3U, 4U, 6U, 7U})  // through a register or memory
        if (before[7 - length] == 0xFF && (before[8 - length] >> 3U & 7U) == 2) return true;
    return false;
#else
    std::uint32_t before = 0;
    if (!SelfMemory().read(address - sizeof before, &before, sizeof before)) return true;
    return before >> 26U == 0x25 || (before & 0xFFFFFC1FU) == 0xD63F0000U;  // bl, blr
#endif
}

}  // namespace

Survival survival_in(Text path) {
    const auto* slash = static_cast<const char*>(::memrchr(path.data, '/', path.size));
    if (slash == nullptr) return Survival::no;  // made at run time
    const Text name(slash + 1, static_cast<std::size_t>(path.data + path.size - slash - 1));
    for (std::size_t i = 0; i < survivor_count; ++i)
        if (name.starts_with(survivors[i].name) ||
            (survivors[i].name.contains("/") && path.contains(survivors[i].name)))
            return survivors[i].survival;
    return Survival::no;
}

bool survives_refusal(const void* caller, bool zeroed) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python_running() || python->loop_begin == 0) return false;
    // In another thread most errors reach nobody: they end a pool's own threads, and the pool
    // hangs.
    if (own_thread_id() != ::getpid() && !own_error_is_received() && !main_thread_can_be_told())
        return false;
    const auto stack = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
    Code code;
    read_code(code, stack);
    if (!code.whole || code.stack_end == 0) return false;
    const Range* asker = range_of(code, reinterpret_cast<std::uint64_t>(caller));
    if (asker == nullptr || asker->survival < Survival::asks) return false;
    const bool needs_lock =
        asker->survival == Survival::asks || (asker->survival == Survival::clears && !zeroed);
    if (needs_lock && !holds_interpreter_lock(*python)) return false;
    // Every word that could be a return address counts. A stale one from an earlier call may let a
    // request through, but no real one is missed.
    for (std::uint64_t at = stack; at + sizeof(std::uint64_t) <= code.stack_end;
         at += sizeof(std::uint64_t)) {
        const std::uint64_t word = *reinterpret_cast<const std::uint64_t*>(at);
        const Range* range = range_of(code, word);
        if (range == nullptr || !follows_call(word)) continue;
        if (range->survival == Survival::no) return false;
        if (range->survival == Survival::unwinds && asker->survival != Survival::throws)
            return false;
        if (word >= python->loop_begin && word < python->loop_end)
            return own_thread_id() != ::getpid() || own_error_is_received();
    }
    return false;
}

}  // namespace holdfast::agent
