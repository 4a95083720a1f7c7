// Internal: the fields of evidence in a recording. Amounts are bytes, times nanoseconds.
#pragma once

#include <array>

#include "model/agent_fields.h"
#include "model/evidence.h"
#include "model/fields.h"
#include "model/stall_evidence.h"

namespace holdfast::fields {

template <class Json>
void describe(Json& json, Ref<Json, WaitingThread> thread) {
    json.field("tid", thread.tid);
    json.field("name", thread.name);
    json.field("state", thread.state);
    json.choice("wait", thread.wait, wait_kind_words);
    json.field("timed", thread.timed);
    json.field("inside", thread.inside);
    json.field("own_lock", thread.own_lock);
    json.field("holds_gil", thread.holds_gil);
    json.field("call", thread.call);
    json.field("wait_channel", thread.wait_channel);
    json.field("target", thread.target);
    json.field("owner", thread.owner);
    json.field("native", thread.native);
    json.field("frames", thread.frames);
}

template <class Json>
void describe(Json& json, Ref<Json, StalledProcess> process) {
    json.field("pid", process.pid);
    json.field("traced", process.traced);
    json.field("threads", process.threads);
}

template <class Json>
void describe(Json& json, Ref<Json, StallEvidence> stall) {
    json.field("since", stall.since);
    json.field("seen", stall.seen);
    json.field("told", stall.told);
    json.field("moved", stall.moved);
    json.field("busy", stall.busy);
    json.field("inside_only", stall.inside_only);
    json.field("in_loop", stall.in_loop);
    json.field("steps", stall.steps);
    json.field("last_step", stall.last_step);
    json.field("usual", stall.usual);
    json.field("longest", stall.longest);
    json.field("cpu", stall.cpu);
    json.field("processes", stall.processes);
}

inline constexpr std::array<std::string_view, 4> role_names{"main", "worker", "rank", "helper"};
inline constexpr std::array<std::string_view, 6> kernel_log_kinds{
    "oom_kill", "segfault", "gpu_fault", "io_error", "memory_error", "other"};

template <class Json>
void describe(Json& json, Ref<Json, ProcessLimits> limits) {
    json.field("address_space", limits.address_space);
    json.field("data", limits.data);
    json.field("file_size", limits.file_size);
    json.field("open_files", limits.open_files);
    json.field("processes", limits.processes);
    json.field("cpu_seconds_soft", limits.cpu_seconds_soft);
    json.field("cpu_seconds_hard", limits.cpu_seconds_hard);
}

template <class Json>
void describe(Json& json, Ref<Json, ProcessEvidence> process) {
    json.field("pid", process.pid);
    json.field("parent", process.parent);
    json.choice("role", process.role, role_names);
    json.field("rank", process.rank);
    json.field("name", process.name);
    json.field("command", process.command);
    json.field("python", process.python);
    json.field("wrapper", process.wrapper);
    json.field("first_seen", process.first_seen);
    json.field("last_seen", process.last_seen);
    json.field("ended", process.ended);
    json.field("exit", process.exit);
    json.field("cgroup", process.cgroup);
    json.field("state", process.state);
    json.field("rss", process.rss);
    json.field("rss_peak", process.rss_peak);
    json.field("anon", process.anon);
    json.field("shmem", process.shmem);
    json.field("swap", process.swap);
    json.field("virtual_size", process.virtual_size);
    json.field("threads", process.threads);
    json.field("open_files", process.open_files);
    json.field("open_files_peak", process.open_files_peak);
    json.field("threads_peak", process.threads_peak);
    json.field("mappings", process.mappings);
    json.field("cpu_time", process.cpu_time);
    json.field("major_faults", process.major_faults);
    json.field("wait_channel", process.wait_channel);
    json.field("limits", process.limits);
}

template <class Json>
void describe(Json& json, Ref<Json, CgroupLevel> level) {
    json.field("path", level.path);
    json.field("limit", level.limit);
    json.field("usage_first", level.usage_first);
    json.field("usage_last", level.usage_last);
    json.field("peak", level.peak);
    json.field("limit_hits_first", level.limit_hits_first);
    json.field("limit_hits_last", level.limit_hits_last);
    json.field("oom_first", level.oom_first);
    json.field("oom_last", level.oom_last);
    json.field("oom_kill_first", level.oom_kill_first);
    json.field("oom_kill_last", level.oom_kill_last);
    json.field("swap_limit", level.swap_limit);
    json.field("swap_usage", level.swap_usage);
    json.field("pids_limit", level.pids_limit);
    json.field("pids_usage", level.pids_usage);
    json.field("pids_refused_first", level.pids_refused_first);
    json.field("pids_refused_last", level.pids_refused_last);
    json.field("oom_group", level.oom_group);
}

template <class Json>
void describe(Json& json, Ref<Json, OomKillMoved> moved) {
    json.field("after", moved.after);
    json.field("noticed", moved.noticed);
    json.field("before_count", moved.before_count);
    json.field("after_count", moved.after_count);
}

template <class Json>
void describe(Json& json, Ref<Json, CgroupEvidence> cgroup) {
    json.field("version", cgroup.version);
    json.field("levels", cgroup.levels);
    json.field("kills", cgroup.kills);
    json.field("anon", cgroup.anon);
    json.field("file", cgroup.file);
    json.field("shmem", cgroup.shmem);
    json.field("kernel", cgroup.kernel);
    json.field("strangers_gone", cgroup.strangers_gone);
    json.field("userspace_oom_mark", cgroup.userspace_oom_mark);
}

template <class Json>
void describe(Json& json, Ref<Json, HostEvidence> host) {
    json.field("total", host.total);
    json.field("available_last", host.available_last);
    json.field("available_least", host.available_least);
    json.field("swap_total", host.swap_total);
    json.field("swap_free_last", host.swap_free_last);
    json.field("commit_limit", host.commit_limit);
    json.field("committed", host.committed);
    json.field("overcommit_mode", host.overcommit_mode);
    json.field("max_map_count", host.max_map_count);
    json.field("oom_kill_first", host.oom_kill_first);
    json.field("oom_kill_last", host.oom_kill_last);
    json.field("cpu_count", host.cpu_count);
    json.field("in_first_pid_namespace", host.in_first_pid_namespace);
}

template <class Json>
void describe(Json& json, Ref<Json, PressureEvidence> pressure) {
    json.field("memory_some", pressure.memory_some);
    json.field("memory_full", pressure.memory_full);
    json.field("io_full", pressure.io_full);
    json.field("cpu_some", pressure.cpu_some);
    json.field("major_faults_per_second", pressure.major_faults_per_second);
    json.field("swap_in_pages_per_second", pressure.swap_in_pages_per_second);
    json.field("window", pressure.window);
}

template <class Json>
void describe(Json& json, Ref<Json, DiskEvidence> disk) {
    json.field("use", disk.use);
    json.field("path", disk.path);
    json.field("filesystem", disk.filesystem);
    json.field("size", disk.size);
    json.field("free_last", disk.free_last);
    json.field("free_least", disk.free_least);
    json.field("inodes_free", disk.inodes_free);
}

template <class Json>
void describe(Json& json, Ref<Json, Neighbour> neighbour) {
    json.field("pid", neighbour.pid);
    json.field("name", neighbour.name);
    json.field("command", neighbour.command);
    json.field("rss", neighbour.rss);
    json.field("same_cgroup", neighbour.same_cgroup);
}

template <class Json>
void describe(Json& json, Ref<Json, MemoryHolder> holder) {
    json.field("pid", holder.pid);
    json.field("name", holder.name);
    json.field("held", holder.held);
}

template <class Json>
void describe(Json& json, Ref<Json, KernelLogEntry> entry) {
    json.choice("kind", entry.kind, kernel_log_kinds);
    json.field("time", entry.time);
    json.field("pid", entry.pid);
    json.field("task", entry.task);
    json.field("constraint", entry.constraint);
    json.field("oom_memcg", entry.oom_memcg);
    json.field("task_memcg", entry.task_memcg);
    json.field("anon_rss", entry.anon_rss);
    json.field("file_rss", entry.file_rss);
    json.field("shmem_rss", entry.shmem_rss);
    json.field("total_vm", entry.total_vm);
    json.field("xid", entry.xid);
    json.field("text", entry.text);
    json.field("holders", entry.holders);
}

template <class Json>
void describe(Json& json, Ref<Json, GpuEvidence::Holder> holder) {
    json.field("pid", holder.pid);
    json.field("used", holder.used);
    json.field("name", holder.name);
    json.field("ours", holder.ours);
}

template <class Json>
void describe(Json& json, Ref<Json, GpuEvidence> gpu) {
    json.field("index", gpu.index);
    json.field("name", gpu.name);
    json.field("total", gpu.total);
    json.field("used_last", gpu.used_last);
    json.field("used_peak", gpu.used_peak);
    json.field("utilisation_percent", gpu.utilisation_percent);
    json.field("temperature_celsius", gpu.temperature_celsius);
    json.field("clock_event_reasons", gpu.clock_event_reasons);
    json.field("lost", gpu.lost);
    json.field("processes", gpu.processes);
}

template <class Json>
void describe(Json& json, Ref<Json, TracebackText> traceback) {
    json.field("frames", traceback.frames);
    json.field("type", traceback.type);
    json.field("message", traceback.message);
    json.field("ends_the_output", traceback.ends_the_output);
    json.field("recorded", traceback.recorded);
}

template <class Json>
void describe(Json& json, Ref<Json, SchedulerEvidence> scheduler) {
    json.field("kind", scheduler.kind);
    json.field("job_id", scheduler.job_id);
    json.field("ends_at", scheduler.ends_at);
}

}  // namespace holdfast::fields
