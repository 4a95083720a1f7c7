// The machine as a whole, over the run.
#include <algorithm>
#include <cmath>

#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

void keep_last(std::optional<Bytes>& last, std::uint64_t value) {
    if (value != format::unknown) last = Bytes{value};
}

// Committed memory around the end: at the last look all of it has been released already.
std::optional<Bytes> committed_at_end(const RunRecord& record) {
    constexpr std::int64_t about = 2'000'000'000;
    std::optional<Bytes> most;
    if (record.samples.empty()) return most;
    const std::int64_t end = record.samples.back().time;
    for (const format::Sample& s : record.samples) {
        std::int64_t before = 0;
        const bool near = !__builtin_sub_overflow(end, s.time, &before) && before <= about;
        if (const auto committed = bytes(s.committed); near && committed)
            most = std::max(most.value_or(*committed), *committed);
    }
    return most;
}

}  // namespace

HostEvidence host(const RunRecord& record) {
    HostEvidence host;
    // The history first: it is older than the samples, and where they overlap it says the same.
    for (const auto* samples : {&record.history, &record.samples}) {
        for (const format::Sample& s : *samples) {
            keep_last(host.total, s.mem_total);
            keep_last(host.available_last, s.mem_available);
            keep_last(host.swap_total, s.swap_total);
            keep_last(host.swap_free_last, s.swap_free);
            keep_last(host.commit_limit, s.commit_limit);
            if (const auto available = bytes(s.mem_available))
                host.available_least =
                    std::min(host.available_least.value_or(*available), *available);
            if (const auto kills = known(s.vm_oom_kill)) {
                if (!host.oom_kill_first) host.oom_kill_first = kills;
                host.oom_kill_last = kills;
            }
        }
    }
    host.committed = committed_at_end(record);
    if (!record.facts) return host;
    host.overcommit_mode = record.facts->overcommit_mode;
    host.max_map_count = record.facts->max_map_count;
    if (std::isfinite(record.facts->cpu_count) && record.facts->cpu_count > 0)
        host.cpu_count = record.facts->cpu_count;
    host.in_first_pid_namespace = record.facts->in_first_pid_namespace;
    return host;
}

}  // namespace holdfast::gatherers
