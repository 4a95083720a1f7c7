#include "diagnose/oom/memory_held.h"

#include <algorithm>
#include <csignal>

#include "base/time.h"

namespace holdfast {
namespace {

// The log's stamps and ours come from two clocks that are close, not equal.
constexpr Nanos window_slack{5'000'000'000};

bool alive_at(const ProcessEvidence& process, std::optional<RunTime> time) {
    constexpr Nanos moment{1'000'000'000};
    if (!process.ended) return true;
    return time && *process.ended >= earlier(*time, moment);
}

}  // namespace

std::optional<Bytes> held_by(const ProcessEvidence& process) {
    if (process.rss) return process.rss;
    if (process.anon) return *process.anon + process.shmem.value_or(Bytes{});
    return std::nullopt;
}

const KernelLogEntry* logged_oom_kill(const Death& death) {
    if (!death.all.host.in_first_pid_namespace || death.pid <= 0) return nullptr;
    if (death.sure_of_exit() && !death.by(SIGKILL)) return nullptr;  // the pid was reused
    for (const KernelLogEntry& entry : death.all.kernel_log) {
        if (entry.kind != KernelLogEntry::Kind::oom_kill || entry.pid != death.pid) continue;
        if (death.time && entry.time > later(*death.time, window_slack)) continue;
        if (death.process != nullptr && later(entry.time, window_slack) < death.process->first_seen)
            continue;
        return &entry;
    }
    return nullptr;
}

std::optional<Bytes> held_at_end(const Death& death) {
    // Leave out file pages: those of libraries are shared, and often charged to another cgroup.
    if (const KernelLogEntry* entry = logged_oom_kill(death); entry != nullptr && entry->anon_rss)
        return *entry->anon_rss + entry->shmem_rss.value_or(Bytes{});
    if (death.process == nullptr) return std::nullopt;
    std::optional<Bytes> most = held_by(*death.process);
    if (death.process->rss_peak && (!most || *death.process->rss_peak > *most))
        most = death.process->rss_peak;
    return most;
}

std::optional<Bytes> held_by_tree(const Death& death) {
    std::optional<Bytes> sum = held_at_end(death);
    const KernelLogEntry* logged = logged_oom_kill(death);
    for (const ProcessEvidence& process : death.all.processes) {
        if (process.pid == death.pid || !alive_at(process, death.time)) continue;
        std::optional<Bytes> held = held_by(process);
        // A process may have grown much between our last look and the kill.
        if (logged != nullptr)
            for (const MemoryHolder& holder : logged->holders)
                if (holder.pid == process.pid) held = holder.held;
        if (held) sum = sum.value_or(Bytes{}) + *held;
    }
    return sum;
}

bool log_clears(const Death& death) {
    return death.all.kernel_log_complete && death.all.host.in_first_pid_namespace &&
           death.pid > 0 && logged_oom_kill(death) == nullptr;
}

bool machine_was_full(const HostEvidence& host) {
    const std::optional<Bytes> least =
        host.available_least ? host.available_least : host.available_last;
    return host.total && least && least->share_of(*host.total) < 0.05;
}

}  // namespace holdfast
