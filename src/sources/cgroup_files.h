// Pure parsers of the small files in a cgroup's directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace holdfast::sources {

// One number: memory.current, memory.usage_in_bytes, memory.failcnt, pids.current.
std::optional<std::uint64_t> parse_cgroup_count(std::string_view text);

// Distinguishes "no limit is set" from "the file is not understood".
struct CgroupLimit {
    std::optional<std::uint64_t> value;  // absent: no limit
};
// "max" (v2), and what v1 shows for none: the largest multiple of the page size in 63 bits.
std::optional<CgroupLimit> parse_cgroup_limit(std::string_view text);

// memory.events and memory.events.local (v2), memory.oom_control (v1: oom_kill only), pids.events.
struct CgroupEvents {
    std::optional<std::uint64_t> max;       // the limit was run into; for pids: a fork was refused
    std::optional<std::uint64_t> oom;       // reclaim failed
    std::optional<std::uint64_t> oom_kill;  // processes killed; v1: since Linux 4.13
    std::optional<std::uint64_t> oom_group_kill;
};
CgroupEvents parse_cgroup_events(std::string_view text);

// memory.stat, the children's share included. v1 spells that "total_rss"; its bare "rss" is the
// cgroup's own. `file` holds shmem in both, which cannot be reclaimed without swap: never count it
// as free.
struct CgroupMemoryStat {
    std::optional<Bytes> anon;  // v1: total_rss
    std::optional<Bytes> file;  // v1: total_cache
    std::optional<Bytes> shmem;
    std::optional<Bytes> inactive_file, active_file;
    std::optional<Bytes> dirty, writeback;
    std::optional<Bytes> kernel;  // v2 since Linux 5.18; v1: memory.kmem.usage_in_bytes
};
CgroupMemoryStat parse_cgroup_memory_stat(std::string_view text, int version);

}  // namespace holdfast::sources
