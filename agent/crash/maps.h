// The process's mappings, in the form of the crash record.
#pragma once

#include <cstdint>

#include "agent/crash/proc.h"
#include "record/agent_format.h"

namespace holdfast::agent {

struct Mapping {
    std::uint64_t start, end, offset;
    bool writable, executable;
    Text inode, path;
};

inline Mapping parse_mapping(Text line) {
    Mapping mapping{};
    const Text range = next_word(line);
    mapping.start = hex(range);
    for (std::size_t i = 0; i < range.size; ++i)
        if (range.data[i] == '-') mapping.end = hex({range.data + i + 1, range.size - i - 1});
    const Text rights = next_word(line);
    mapping.writable = rights.size > 1 && rights.data[1] == 'w';
    mapping.executable = rights.size > 2 && rights.data[2] == 'x';
    mapping.offset = hex(next_word(line));
    next_word(line);  // device
    mapping.inode = next_word(line);
    while (!line.empty() && *line.data == ' ') line = {line.data + 1, line.size - 1};
    mapping.path = line;
    return mapping;
}

// The thread's own file: the main thread may have ended before the others.
template <class Visit>
void each_mapping(Visit visit) {
    each_line("/proc/thread-self/maps", [&](Text line) { return visit(parse_mapping(line)); });
}

// stack_low, stack_high, stack_copy_from and the copy itself, for crash.sp.
void copy_stack(format::Crash& crash);
// How much of it there is; others may write to the box meanwhile.
inline std::uint32_t copied_stack(const format::Crash& crash) {
    const std::uint32_t size = crash.stack_size;
    return size < sizeof crash.stack ? size : sizeof crash.stack;
}
// Needs the copy of the stack: if not all modules fit, those that the stack points into come first.
void list_modules(format::Crash& crash);

}  // namespace holdfast::agent
