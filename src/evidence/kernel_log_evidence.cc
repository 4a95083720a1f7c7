// The kernel's log lines during the run.
#include <algorithm>

#include "evidence/clean_text.h"
#include "evidence/gatherers.h"
#include "sources/figures.h"
#include "sources/kernel_message.h"

namespace holdfast::gatherers {
namespace {

using Kind = KernelLogEntry::Kind;

constexpr std::size_t longest_log_text = 300;
constexpr std::size_t longest_name = 64;
constexpr std::size_t longest_path = 512;
// The two lines of one kill come together. A later kill of the same pid is another process.
constexpr Nanos same_kill = std::chrono::seconds(5);

void fill(std::string& into, const std::string& from, std::size_t limit) {
    if (into.empty()) into = clean(from, limit);
}
template <class T>
void fill(std::optional<T>& into, const std::optional<T>& from) {
    if (!into) into = from;
}

void add_oom(KernelLogEntry& entry, const sources::OomKillLine& line) {
    entry.kind = Kind::oom_kill;
    entry.pid = line.pid;
    fill(entry.task, line.task, longest_name);
    fill(entry.constraint, line.constraint, longest_name);
    fill(entry.oom_memcg, line.oom_memcg, longest_path);
    fill(entry.task_memcg, line.task_memcg, longest_path);
    fill(entry.total_vm, line.total_vm);
    fill(entry.anon_rss, line.anon_rss);
    fill(entry.file_rss, line.file_rss);
    fill(entry.shmem_rss, line.shmem_rss);
    // If the first line is lost, the second still tells a kill at a cgroup's limit. Its other
    // wording can mean a machine-wide kill or one at a cpuset, so that stays open.
    if (entry.constraint.empty() && line.at_cgroup_limit.value_or(false))
        entry.constraint = "CONSTRAINT_MEMCG";
}

std::vector<MemoryHolder> holders_in(const sources::OomTable& table) {
    std::vector<MemoryHolder> holders;
    for (const sources::OomTask& task : table.tasks())
        holders.push_back({task.pid, clean(task.name, longest_name), task.held});
    return holders;
}

KernelLogEntry* earlier_line(std::vector<KernelLogEntry>& entries, int pid, RunTime time) {
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        if (entry->kind != Kind::oom_kill || entry->pid != pid) continue;
        const bool complete = entry->anon_rss.has_value();
        return !complete && time - entry->time <= same_kill ? &*entry : nullptr;
    }
    return nullptr;
}

KernelLogEntry entry_of(const LogLine& line) {
    KernelLogEntry entry;
    entry.time = line.time;
    entry.text = clean(line.record.text, longest_log_text);
    if (const auto fault = sources::parse_fault(line.record)) {
        entry.kind =
            fault->kind == sources::FaultLine::Kind::segfault ? Kind::segfault : Kind::other;
        entry.pid = fault->pid;
        entry.task = clean(fault->task, longest_name);
    } else if (const auto xid = sources::parse_xid(line.record)) {
        entry.kind = Kind::gpu_fault;
        entry.xid = xid->xid;
        entry.pid = xid->pid;
        entry.task = clean(xid->task, longest_name);
    } else if (sources::parse_io_error(line.record)) {
        entry.kind = Kind::io_error;
    } else if (sources::parse_hardware_error(line.record)) {
        entry.kind = Kind::memory_error;
    }
    return entry;
}

}  // namespace

std::vector<KernelLogEntry> classify(const std::vector<LogLine>& lines) {
    std::vector<KernelLogEntry> entries;
    sources::OomTable table(sources::page_size());
    for (const LogLine& line : lines) {
        if (table.take(line.record)) continue;
        const auto kill = sources::parse_oom_kill(line.record);
        if (!kill) {
            entries.push_back(entry_of(line));
            continue;
        }
        if (KernelLogEntry* first = earlier_line(entries, kill->pid, line.time)) {
            add_oom(*first, *kill);
            first->text = clean(line.record.text, longest_log_text);  // this line has the figures
            continue;
        }
        KernelLogEntry entry;
        entry.time = line.time;
        entry.text = clean(line.record.text, longest_log_text);
        add_oom(entry, *kill);
        entry.holders = holders_in(table);
        table.clear();
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<KernelLogEntry> kernel_log(const RunRecord& record, const RunClock& clock) {
    std::vector<LogLine> lines;
    for (const format::Event& event : record.events) {
        if (event.kind != format::EventKind::kernel_log) continue;
        LogLine line;
        line.time = clock.at(event.d);
        // The supervisor stores only the kernel's own lines, so that is their facility.
        line.record.facility = 0;
        line.record.text = event_text(event);
        lines.push_back(std::move(line));
    }
    std::vector<KernelLogEntry> entries = classify(lines);
    // NVML reports GPU faults even where the log may not be read.
    for (const format::Gpu& gpu : record.gpus) {
        if (gpu.last_xid == 0 || gpu.last_xid > 100'000) continue;
        const int xid = static_cast<int>(gpu.last_xid);
        const bool logged = std::any_of(entries.begin(), entries.end(),
                                        [&](const auto& entry) { return entry.xid == xid; });
        if (logged) continue;
        KernelLogEntry entry;
        entry.kind = Kind::gpu_fault;
        entry.time = clock.at(gpu.last_xid_time);
        entry.xid = xid;
        entry.text = "NVML: Xid " + std::to_string(xid) + " on GPU " + std::to_string(gpu.index);
        entries.push_back(std::move(entry));
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    return entries;
}

}  // namespace holdfast::gatherers
