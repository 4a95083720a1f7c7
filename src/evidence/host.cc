// The machine over the run: memory and counters, disks, other processes, GPUs, pressure.
#include <algorithm>
#include <cmath>

#include "evidence/gatherers.h"
#include "sources/filesystem_space.h"

namespace holdfast::gatherers {
namespace {

void keep_last(std::optional<Bytes>& last, std::uint64_t value) {
    if (value != format::unknown) last = Bytes{value};
}

// The most committed memory in the last two seconds: at the last look all of it is released.
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
    // The history first, because it is older than the samples. Where the two overlap they agree.
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

// Room on the filesystems the run uses.
std::vector<DiskEvidence> disks(const RunRecord& record) {
    std::vector<DiskEvidence> all;
    for (const format::Disk& d : record.disks) {
        DiskEvidence disk;
        disk.use = fixed_text(d.use);
        disk.path = fixed_text(d.path);
        if (disk.path.empty()) continue;
        disk.filesystem = sources::filesystem_name(d.magic);
        disk.size = bytes(d.size);
        disk.free_last = bytes(d.free);
        disk.free_least = bytes(d.free_least);
        disk.inodes_free = known(d.inodes_free);
        all.push_back(std::move(disk));
    }
    return all;
}

// The other large processes of the machine, at the last look.
std::vector<Neighbour> neighbours(const RunRecord& record) {
    std::vector<Neighbour> all;
    for (const format::Neighbour& n : record.neighbours) {
        if (n.pid <= 0 || n.rss == format::unknown) continue;
        all.push_back(
            {n.pid, fixed_text(n.name), fixed_text(n.command), Bytes{n.rss}, n.same_cgroup != 0});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Neighbour& a, const Neighbour& b) { return a.rss > b.rss; });
    return all;
}

// The GPUs at the last look, and who held their memory.

namespace {

std::optional<int> small(std::uint32_t value, std::uint32_t most) {
    if (value > most) return std::nullopt;
    return static_cast<int>(value);
}

GpuEvidence::Holder holder_of(const format::GpuProcess& p, const Evidence& so_far) {
    GpuEvidence::Holder holder;
    holder.pid = p.pid;
    holder.used = bytes(p.used);
    if (const ProcessEvidence* process = so_far.process(p.pid)) {
        holder.name = process->name;
        holder.ours = true;
        return holder;
    }
    for (const Neighbour& neighbour : so_far.neighbours)
        if (neighbour.pid == p.pid) holder.name = neighbour.name;
    return holder;
}

}  // namespace

std::vector<GpuEvidence> gpus(const RunRecord& record, const Evidence& so_far) {
    std::vector<GpuEvidence> all;
    for (const format::Gpu& g : record.gpus) {
        const auto index = small(g.index, 4096);
        if (!index) continue;
        GpuEvidence gpu;
        gpu.index = *index;
        gpu.name = fixed_text(g.name);
        gpu.total = bytes(g.total);
        gpu.used_last = bytes(g.used);
        gpu.used_peak = bytes(g.used_peak);
        gpu.utilisation_percent = small(g.utilisation, 100);
        gpu.temperature_celsius = small(g.temperature, 1000);
        gpu.clock_event_reasons = known(g.clock_event_reasons_seen);
        gpu.lost = g.lost != 0;
        for (const format::GpuProcess& p : g.processes) {
            if (p.pid == 0) break;
            if (p.pid > 0) gpu.processes.push_back(holder_of(p, so_far));
        }
        all.push_back(std::move(gpu));
    }
    return all;
}

// The share of the last minute that was lost to memory and disks, from totals that only grow.

namespace {

constexpr Nanos longest_window = std::chrono::seconds(60);
constexpr Nanos shortest_window = std::chrono::seconds(1);  // below it a percentage is noise

std::optional<double> rate(std::uint64_t before, std::uint64_t after, double seconds_between) {
    // A total that fell is from another boot, or forged.
    if (before == format::unknown || after == format::unknown || after < before)
        return std::nullopt;
    return static_cast<double>(after - before) / seconds_between;
}

std::optional<double> percent(std::uint64_t before_us, std::uint64_t after_us, double between) {
    const auto stalled = rate(before_us, after_us, between);
    if (!stalled) return std::nullopt;
    return std::min(*stalled / 1e6 * 100.0, 100.0);
}

}  // namespace

PressureEvidence pressure(std::span<const format::Sample> samples) {
    if (samples.empty()) return {};
    const format::Sample& last = samples.back();
    const format::Sample* first = &last;
    for (std::size_t i = samples.size(); i-- > 0;) {
        const Nanos age(bounded_difference(last.time, samples[i].time));
        if (age < Nanos(0) || age > longest_window) break;
        first = &samples[i];
    }
    const Nanos window(bounded_difference(last.time, first->time));
    if (window < shortest_window) return {};
    const double between = seconds(window);
    PressureEvidence pressure;
    pressure.window = window;
    pressure.memory_some = percent(first->psi_memory_some_us, last.psi_memory_some_us, between);
    pressure.memory_full = percent(first->psi_memory_full_us, last.psi_memory_full_us, between);
    pressure.cpu_some = percent(first->psi_cpu_some_us, last.psi_cpu_some_us, between);
    pressure.io_full = percent(first->psi_io_full_us, last.psi_io_full_us, between);
    pressure.major_faults_per_second = rate(first->vm_major_faults, last.vm_major_faults, between);
    pressure.swap_in_pages_per_second = rate(first->vm_swap_in, last.vm_swap_in, between);
    return pressure;
}

}  // namespace holdfast::gatherers
