// What one look at a chain of cgroups gives: v1 and v2 in one shape.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "sources/cgroup_files.h"

namespace holdfast::sources {

// Memory, one level. v1 counts events of this very cgroup only; v2 counts those below it too, and
// has a second file without them.
struct CgroupMemoryLevel {
    std::string path;
    std::optional<Bytes> limit;  // absent: none, or not readable
    std::optional<Bytes> usage;
    std::optional<Bytes> peak;                    // v2: since Linux 5.19
    std::optional<Bytes> high;                    // v2 memory.high: above it, allocation is slowed
    std::optional<std::uint64_t> limit_hits;      // v2 events "max"; v1 failcnt, which can stay 0
    std::optional<std::uint64_t> oom;             // v2
    std::optional<std::uint64_t> oom_kill;        // v2: of everything below as well
    std::optional<std::uint64_t> oom_kill_local;  // of this very cgroup; v2: since Linux 5.2
    std::optional<bool> oom_group;                // v2
    // v2: swap alone. v1: memsw, memory and swap together.
    std::optional<Bytes> swap_limit, swap_usage;
    std::optional<std::uint64_t> memsw_hits;  // v1
    CgroupMemoryStat stat;
};

struct CgroupPidsLevel {
    std::string path;
    std::optional<std::uint64_t> limit;
    std::optional<std::uint64_t> usage;    // processes and threads
    std::optional<std::uint64_t> refused;  // pids.events "max"
};

struct CgroupReading {
    std::vector<CgroupMemoryLevel> memory;  // own first, outermost last
    std::vector<CgroupPidsLevel> pids;      // the same, in a hierarchy of its own under v1
};

// The few figures of every look.
struct CgroupLook {
    std::optional<Bytes> usage;
    std::optional<std::uint64_t> limit_hits;  // v2 only
    std::optional<std::uint64_t> oom_kill;
    std::optional<std::uint64_t> oom_kill_local;  // v2: of the own level only
};

// What can still be taken before some limit of the chain is hit: the least over the levels of
// limit - usage + clean file pages. Absent where no level has both a limit and a usage.
std::optional<Bytes> headroom(std::span<const CgroupMemoryLevel> levels);

}  // namespace holdfast::sources
