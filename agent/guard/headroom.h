// How much memory this process can still take before the kernel kills a process, read from the
// kernel now: the least over its cgroup, every cgroup above it, and the machine.
#pragma once

#include <cstdint>

#include "agent/guard/figures.h"
#include "agent/guard/victim.h"
#include "record/guard_format.h"

namespace holdfast::agent {

struct Headroom {
    bool known = false;
    // Clean file pages count as room, those not yet written do not.
    std::uint64_t room = no_figure;
    // The same, but unwritten file pages count as room, too: the kernel writes and drops them
    // before it kills. A request is refused only if it does not even fit into this.
    std::uint64_t most = no_figure;
    std::uint64_t files = 0;     // file pages in `most`
    std::uint64_t code = 0;      // of these, the mapped ones: mostly code
    std::uint64_t refaults = 0;  // file pages that were read again soon after they were dropped
    std::uint64_t limit = no_figure;          // of the level that `most` is about, swap included
    std::uint32_t levels_up = whole_machine;  // which level that is
    std::uint64_t smallest = no_figure;       // the smallest limit of all, swap included
};

// Opens, reads and closes a handful of small files: some ten microseconds a level. Keeps no
// descriptor, because programs close descriptors that they do not know. Takes a copy of the place,
// because the shared page may change meanwhile.
Headroom read_headroom(const format::GuardPlace& place);

// Reads into `out`; returns the size, or 0. One read gets a whole kernel file.
std::size_t read_small_file(const char* path, char* out, std::size_t room);

}  // namespace holdfast::agent
