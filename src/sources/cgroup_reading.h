// A cgroup's figures: the small files in its directory, and what one look at a chain of them gives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace holdfast::sources {

// Pure parsers of the small files in a cgroup's directory.

// One number: memory.current, memory.usage_in_bytes, memory.failcnt, pids.current.
std::optional<std::uint64_t> parse_cgroup_count(std::string_view text);

// Tells "no limit is set" from "the file cannot be parsed".
struct CgroupLimit {
    std::optional<std::uint64_t> value;  // absent: no limit
};
// "max" (v2), or v1's largest multiple of the page size in 63 bits, means no limit.
std::optional<CgroupLimit> parse_cgroup_limit(std::string_view text);

// memory.events and memory.events.local (v2), memory.oom_control (v1: oom_kill only), pids.events.
struct CgroupEvents {
    std::optional<std::uint64_t> max;       // the limit was hit; for pids: a fork was refused
    std::optional<std::uint64_t> oom;       // reclaim failed
    std::optional<std::uint64_t> oom_kill;  // processes killed; v1: since Linux 4.13
    std::optional<std::uint64_t> oom_group_kill;
};
CgroupEvents parse_cgroup_events(std::string_view text);

// memory.stat, with the share of cgroups below. v1 calls that "total_rss"; its plain "rss" is the
// cgroup's own. In both, `file` includes shmem, which cannot be reclaimed without swap: never count
// it as free.
struct CgroupMemoryStat {
    std::optional<Bytes> anon;  // v1: total_rss
    std::optional<Bytes> file;  // v1: total_cache
    std::optional<Bytes> shmem;
    std::optional<Bytes> inactive_file, active_file;
    std::optional<Bytes> dirty, writeback;
    std::optional<Bytes> kernel;  // v2 since Linux 5.18; v1: memory.kmem.usage_in_bytes
};
CgroupMemoryStat parse_cgroup_memory_stat(std::string_view text, int version);

// One look at a chain of cgroups, in the same form for v1 and v2.

// Memory of one level. v1 counts only events of this cgroup; v2 also counts those below, and has a
// second file without them.
struct CgroupMemoryLevel {
    std::string path;
    std::optional<Bytes> limit;  // absent: no limit, or not readable
    std::optional<Bytes> usage;
    std::optional<Bytes> peak;                    // v2: since Linux 5.19
    std::optional<Bytes> high;                    // v2 memory.high: above it, allocation is slowed
    std::optional<std::uint64_t> limit_hits;      // v2 events "max"; v1 failcnt, which can stay 0
    std::optional<std::uint64_t> oom;             // v2
    std::optional<std::uint64_t> oom_kill;        // v2: also of everything below
    std::optional<std::uint64_t> oom_kill_local;  // of this cgroup only; v2: since Linux 5.2
    std::optional<bool> oom_group;                // v2
    // v2: swap only. v1: memsw, which is memory and swap together.
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
    std::vector<CgroupPidsLevel> pids;      // the same; under v1 it is another hierarchy
};

// The few figures that every look reads.
struct CgroupLook {
    std::optional<Bytes> usage;
    std::optional<std::uint64_t> limit_hits;  // v2 only
    std::optional<std::uint64_t> oom_kill;
    std::optional<std::uint64_t> oom_kill_local;  // v2: only of the own level
};

// What can still be taken before some limit of the chain is hit: the least over the levels of
// limit - usage + clean file pages. Absent where no level has both a limit and a usage.
std::optional<Bytes> headroom(std::span<const CgroupMemoryLevel> levels);

}  // namespace holdfast::sources
