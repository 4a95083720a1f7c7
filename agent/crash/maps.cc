// The faulting thread's stack and the loaded modules.
#include "agent/crash/maps.h"

#include <atomic>
#include <csignal>
#include <initializer_list>

#include "agent/crash/crash_lines.h"
#include "agent/crash/memory.h"

namespace holdfast::agent {
namespace {

// How far below a stack its exhausted pointer may lie: one frame with a large array.
constexpr std::uint64_t overshoot = 16U << 20U;

// Whether this mapping's file is the one whose page could not be read.
bool lost_page_in(const format::Crash& crash, const Mapping& mapping) {
    return crash.signal == SIGBUS && crash.address >= mapping.start && crash.address < mapping.end;
}

bool speaks_of(const format::Crash& crash, const Mapping& mapping) {
    if (crash.pc >= mapping.start && crash.pc < mapping.end) return true;
    if (lost_page_in(crash, mapping)) return true;
    const std::uint32_t words = copied_stack(crash) / 8;
    for (std::uint32_t i = 0; i < words; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, crash.stack + std::size_t{i} * 8, sizeof word);
        if (word >= mapping.start && word < mapping.end) return true;
    }
    return false;
}

bool wanted_by(const format::Crash& crash, const Mapping& mapping) {
    return mapping.executable || lost_page_in(crash, mapping);
}

bool list(CrashLines& lines, const Mapping& mapping) {
    return lines.number(mapping.start, 16)
        .add("-")
        .number(mapping.end, 16)
        .add(" ")
        .number(mapping.offset, 16)
        .add(" ")
        .add(mapping.inode)
        .add(" ")
        .add(mapping.path)
        .end();
}

}  // namespace

void copy_stack(format::Crash& crash) {
    each_mapping([&crash](const Mapping& mapping) {
        // A guard page in between is not writable, and is skipped.
        if (mapping.end <= crash.sp || !mapping.writable) return true;
        if (mapping.start > crash.sp && mapping.start - crash.sp > overshoot) return false;
        crash.stack_low = mapping.start;
        crash.stack_high = mapping.end;
        return false;
    });
    if (crash.stack_high == 0) return;
    const std::uint64_t from = crash.sp > crash.stack_low ? crash.sp : crash.stack_low;
    std::uint64_t size = crash.stack_high - from;
    if (size > sizeof crash.stack) size = sizeof crash.stack;
    crash.stack_copy_from = from;
    const std::size_t got = read_memory(from, crash.stack, size);
    std::atomic_ref(crash.stack_size)
        .store(static_cast<std::uint32_t>(got), std::memory_order_release);
}

void list_modules(format::Crash& crash) {
    bool complete = true;
    CrashLines all(crash.modules, crash.modules_size);
    each_mapping([&](const Mapping& mapping) {
        if (wanted_by(crash, mapping)) complete = list(all, mapping);
        return complete;
    });
    if (complete) return;
    crash.modules_size = 0;
    CrashLines chosen(crash.modules, crash.modules_size);
    for (const bool wanted : {true, false})
        each_mapping([&](const Mapping& mapping) {
            if (wanted_by(crash, mapping) && speaks_of(crash, mapping) == wanted)
                list(chosen, mapping);
            return true;
        });
}

}  // namespace holdfast::agent
