// For a run whose supervisor was lost (memory.oom.group kills it, too), so that nobody saw the end.
// Looks at the machine instead: counters that rose since the last look, and the kernel's log.
#include <algorithm>
#include <csignal>
#include <utility>

#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

constexpr Nanos clock_slack = std::chrono::seconds(2);  // kernel log against CLOCK_MONOTONIC

std::optional<sources::BootId> boot_of(const RunRecord& record) {
    if (record.facts)
        if (const auto id = sources::parse_boot_id(record.facts->boot_id)) return id;
    if (!record.machine_header) return std::nullopt;
    sources::BootId id{};
    std::transform(std::begin(record.machine_header->boot_id),
                   std::end(record.machine_header->boot_id), id.begin(),
                   [](unsigned char c) { return std::byte{c}; });
    return id;
}

bool is_alive(const MachineView& machine, int pid, std::uint64_t start_ticks) {
    return pid > 0 && machine.alive && machine.alive(pid, start_ticks);
}

// A smaller count means another cgroup of the same name.
bool fell(const std::optional<std::uint64_t>& before, const std::optional<std::uint64_t>& now) {
    return before && now && *now < *before;
}

template <class T>
void renew(std::optional<T>& last, const std::optional<T>& now) {
    if (now && (!last || *now > *last)) last = now;
}

std::optional<std::uint64_t> own_kills(const sources::CgroupMemoryLevel& level) {
    return level.oom_kill_local ? level.oom_kill_local : level.oom_kill;
}

// Sets the mark, unless the cgroup had it when the run began.
void note_mark(const RunRecord& record, std::size_t index, const std::optional<std::string>& mark,
               CgroupEvidence& cgroup) {
    if (!mark) return;
    for (const format::Event& event : record.events)
        if (event.kind == format::EventKind::userspace_oom_mark &&
            cgroup_index(record, event.a) == static_cast<int>(index) && event_text(event) == *mark)
            return;
    cgroup.userspace_oom_mark = mark;
}

void look_again(const RunClock& clock, const format::Cgroup& last_look, const CgroupNow& now,
                RunTime noticed, CgroupEvidence& cgroup) {
    const auto& levels = now.reading.memory;
    if (cgroup.levels.empty() || levels.empty() || levels[0].path != cgroup.levels[0].path) return;
    CgroupLevel& own = cgroup.levels[0];
    const auto kills = own_kills(levels[0]);
    if (fell(own.oom_kill_last, kills) || fell(own.limit_hits_last, levels[0].limit_hits)) return;
    if (own.oom_kill_last && kills && *kills > *own.oom_kill_last) {
        RunTime after = clock.at(last_look.last_seen);
        if (!cgroup.kills.empty()) after = std::max(after, cgroup.kills.back().noticed);
        cgroup.kills.push_back({after, noticed, *own.oom_kill_last, *kills});
    }
    for (CgroupLevel& level : cgroup.levels) {
        const auto current = std::find_if(levels.begin(), levels.end(),
                                          [&](const auto& l) { return l.path == level.path; });
        if (current == levels.end()) continue;
        renew(level.limit_hits_last, current->limit_hits);
        renew(level.oom_last, current->oom);
        renew(level.oom_kill_last, current == levels.begin() ? kills : current->oom_kill);
        renew(level.peak, current->peak);
    }
}

void look_at_cgroups(const RunRecord& record, const MachineView& machine, const RunClock& clock,
                     Evidence& evidence) {
    if (!machine.cgroup) return;
    const std::size_t count = std::min(record.cgroups.size(), evidence.cgroups.size());
    for (std::size_t i = 0; i < count; ++i) {
        CgroupEvidence& cgroup = evidence.cgroups[i];
        if (cgroup.version == 0 || cgroup.levels.empty()) continue;
        const auto now = machine.cgroup(cgroup.version, cgroup.levels[0].path);
        if (now)
            look_again(clock, record.cgroups[i].record, *now, clock.at(machine.now.count()),
                       cgroup);
        if (now) note_mark(record, i, now->userspace_oom_mark, cgroup);
    }
}

// systemd-oomd leaves its mark after the kill, so the record of a SIGKILL cannot hold it yet.
void look_for_mark(const RunRecord& record, const MachineView& machine, Evidence& evidence) {
    const bool killed = evidence.exit.signal == SIGKILL || evidence.exit.signal == SIGTERM;
    const ProcessEvidence* main = evidence.main();
    if (!killed || main == nullptr || !main->cgroup || !machine.cgroup) return;
    const auto index = static_cast<std::size_t>(*main->cgroup);
    if (index >= evidence.cgroups.size() || evidence.cgroups[index].levels.empty()) return;
    CgroupEvidence& cgroup = evidence.cgroups[index];
    if (cgroup.version == 0) return;
    const auto now = machine.cgroup(cgroup.version, cgroup.levels[0].path);
    if (now) note_mark(record, index, now->userspace_oom_mark, cgroup);
}

bool already_there(const std::vector<KernelLogEntry>& entries, const KernelLogEntry& entry) {
    return std::any_of(entries.begin(), entries.end(), [&](const KernelLogEntry& known) {
        return known.kind == entry.kind && known.pid == entry.pid && known.xid == entry.xid &&
               known.time - entry.time <= clock_slack && entry.time - known.time <= clock_slack;
    });
}

void look_at_kernel_log(const MachineView& machine, const RunClock& clock, Evidence& evidence) {
    if (!machine.kernel_log) return;
    const auto log = machine.kernel_log();
    if (!log) {
        if (!is_missing(evidence.missing, MissingKind::kernel_log))
            evidence.missing.push_back({MissingKind::kernel_log_closed_now, {}});
        return;
    }
    const RunTime until = clock.at(machine.now.count()) + clock_slack;
    std::vector<LogLine> lines;
    for (const sources::KernelRecord& record : log->records) {
        const RunTime time = clock.at(record.time.count());
        if (time >= -clock_slack && time <= until) lines.push_back({time, record});
    }
    for (KernelLogEntry& entry : classify(lines)) {
        if (entry.kind == KernelLogEntry::Kind::other || already_there(evidence.kernel_log, entry))
            continue;
        evidence.kernel_log.push_back(std::move(entry));
    }
    std::stable_sort(evidence.kernel_log.begin(), evidence.kernel_log.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
}

// What the sentry wrote about the supervisor's end: the sentry outlives the supervisor.
std::string way_of_loss(const RunRecord& record) {
    for (const format::Event& event : record.events) {
        if (event.kind != format::EventKind::supervisor_lost) continue;
        if (event.a == 1)
            return event.b == 1 ? "was killed with SIGKILL, and the command with it"
                                : "was killed with SIGKILL";
        if (event.a == 2) return "crashed";
        if (event.a == 3) return "was killed by the OOM killer";
    }
    return "was lost";
}

}  // namespace

void aftermath(const RunRecord& record, const MachineView& machine, const RunClock& clock,
               Evidence& evidence) {
    // A clean run keeps its verdict and no box: that is no loss.
    if (!record.machine_header && record.verdict_json) return;
    const auto boot = boot_of(record);
    const bool same_boot = boot && machine.boot_id && *boot == *machine.boot_id;
    if (record.end && record.end->complete == 1) {
        if (same_boot) look_for_mark(record, machine, evidence);
        return;
    }
    const RunFacts* facts = record.facts ? &*record.facts : nullptr;
    const bool watched =
        record.live || (same_boot && facts != nullptr &&
                        is_alive(machine, facts->supervisor_pid, facts->supervisor_start_ticks));
    if (watched) {
        evidence.command_alive = !evidence.ended && facts != nullptr && facts->command_pid > 0;
        return;
    }
    evidence.supervisor_lost = true;
    if (!same_boot) {
        if (!evidence.ended)
            evidence.missing.push_back({MissingKind::lost_before_reboot, way_of_loss(record)});
        evidence.missing.push_back(
            {boot && machine.boot_id ? MissingKind::restarted : MissingKind::perhaps_restarted,
             {}});
        return;
    }
    evidence.command_alive = !evidence.ended && facts != nullptr &&
                             is_alive(machine, facts->command_pid, facts->command_start_ticks);
    if (evidence.command_alive) {
        evidence.missing.push_back({MissingKind::lost_but_command_runs, way_of_loss(record)});
        return;
    }
    const bool told = evidence.exit.code || evidence.exit.signal;
    evidence.missing.push_back({!evidence.ended ? MissingKind::lost_before_end
                                : told          ? MissingKind::lost_at_known_end
                                                : MissingKind::lost_at_unknown_end,
                                way_of_loss(record)});
    look_at_cgroups(record, machine, clock, evidence);
    look_at_kernel_log(machine, clock, evidence);
}

}  // namespace holdfast::gatherers
