// ulimit, pids.max and the kernel's own counts.
#include <algorithm>

#include "base/format.h"
#include "check/rules/rules.h"
#include "check/rules/ulimit.h"

namespace holdfast::check::rules {
namespace {

constexpr const char* no_limits = "/proc/self/limits is not readable";

// A data loader with its workers, BLAS threads and a notebook server need about this many.
constexpr std::uint64_t usual_threads = 256;

// As many as help; fewer if that is the hard limit and still enough.
std::uint64_t most_files(const sources::Limit& limit) {
    constexpr std::uint64_t plenty = 65536;
    return limit.hard.value_or(plenty) >= 1024 ? std::min(limit.hard.value_or(plenty), plenty)
                                               : plenty;
}

}  // namespace

void open_files(const Environment& environment, CheckResult& judgement) {
    if (!environment.limits || !environment.limits->open_files.known)
        return judgement.impossible(no_limits);
    const auto soft = environment.limits->open_files.soft;
    if (!soft || *soft >= 1024) return;
    judgement.find(Severity::will_hurt, "fd-limit"_cause,
                   formatted("A process may open {} files (ulimit -n), fewer than the usual 1024: "
                             "data loaders pass tensors as descriptors.",
                             *soft),
                   {{"/proc/self/limits", formatted("Max open files {}", *soft)}},
                   {raised(environment, environment.limits->open_files, {'n', "nofile"},
                           most_files(environment.limits->open_files))});
}

void processes_limit(const Environment& environment, CheckResult& judgement) {
    if (!environment.limits || !environment.limits->processes.known)
        return judgement.impossible(no_limits);
    if (!environment.uid) return judgement.impossible("the user id is not known");
    const auto soft = environment.limits->processes.soft;
    // The kernel does not apply this limit to root.
    if (*environment.uid == 0 || !soft || *soft >= 1024) return;
    judgement.find(*soft < usual_threads ? Severity::will_hurt : Severity::note,
                   "thread-limit"_cause,
                   formatted("This user may have {} processes and threads in all (ulimit -u); "
                             "BLAS, data loaders and a notebook take hundreds.",
                             *soft),
                   {{"/proc/self/limits", formatted("Max processes {}", *soft)}},
                   {raised(environment, environment.limits->processes, {'u', "nproc"}, 4096)});
}

void cgroup_pids(const Environment& environment, CheckResult& judgement) {
    if (!environment.cgroup_seen) return judgement.impossible("no cgroup is visible");
    for (const sources::CgroupPidsLevel& level : environment.pids_levels) {
        if (!level.limit || !level.usage) continue;
        const std::uint64_t left = *level.limit > *level.usage ? *level.limit - *level.usage : 0;
        if (left >= usual_threads) continue;
        return judgement.find(
            Severity::will_hurt, "thread-limit"_cause,
            formatted("This cgroup may have {} processes and threads and has {}: {} are left for "
                      "data loaders and BLAS.",
                      *level.limit, *level.usage, left),
            {{level.path + "/pids.max", formatted("{}, {} in use", *level.limit, *level.usage)}},
            {{"Raise it.", "docker run --pids-limit 4096 ..."}});
    }
}

void kernel_threads(const Environment& environment, CheckResult& judgement) {
    const sources::KernelSettings& kernel = environment.kernel;
    if (!kernel.threads_max && !kernel.pid_max)
        return judgement.impossible("/proc/sys/kernel is not readable");
    if (kernel.threads_max && *kernel.threads_max < 4096)
        judgement.find(Severity::will_hurt, "thread-limit"_cause,
                       formatted("The whole machine may have {} threads.", *kernel.threads_max),
                       {{"/proc/sys/kernel/threads-max", formatted("{}", *kernel.threads_max)}},
                       {{"Raise it.", "sudo sysctl kernel.threads-max=65536"}});
    if (kernel.pid_max && *kernel.pid_max < 4096)
        judgement.find(Severity::will_hurt, "thread-limit"_cause,
                       formatted("The whole machine may have {} processes and threads (pid_max).",
                                 *kernel.pid_max),
                       {{"/proc/sys/kernel/pid_max", formatted("{}", *kernel.pid_max)}},
                       {{"Raise it.", "sudo sysctl kernel.pid_max=4194304"}});
}

void cpu_time(const Environment& environment, CheckResult& judgement) {
    if (!environment.limits || !environment.limits->cpu_seconds.known)
        return judgement.impossible(no_limits);
    const auto soft = environment.limits->cpu_seconds.soft;
    if (!soft) return;
    constexpr std::uint64_t day = 86'400;
    judgement.find(
        *soft < day ? Severity::will_hurt : Severity::note, "cpu-time-limit"_cause,
        formatted("A process is killed after {} s of processor time (ulimit -t), over all "
                  "its threads.",
                  *soft),
        {{"/proc/self/limits", formatted("Max cpu time {}", *soft)}},
        {raised(environment, environment.limits->cpu_seconds, {'t', "cpu"})});
}

void file_size(const Environment& environment, CheckResult& judgement) {
    if (!environment.limits || !environment.limits->file_size.known)
        return judgement.impossible(no_limits);
    const auto soft = environment.limits->file_size.soft;
    if (!soft) return;
    judgement.find(Bytes{*soft} < Bytes::gib(64) ? Severity::will_hurt : Severity::note,
                   "file-size-limit"_cause,
                   formatted("No file may be larger than {} (ulimit -f): a checkpoint beyond that "
                             "ends the process.",
                             human(Bytes{*soft})),
                   {{"/proc/self/limits", formatted("Max file size {}", *soft)}},
                   {raised(environment, environment.limits->file_size, {'f', "fsize"})});
}

void stack_size(const Environment& environment, CheckResult& judgement) {
    if (!environment.limits || !environment.limits->stack.known)
        return judgement.impossible(no_limits);
    const auto soft = environment.limits->stack.soft;
    if (!soft || Bytes{*soft} >= Bytes::mib(2)) return;
    judgement.find(
        Severity::will_hurt, "stack-overflow"_cause,
        formatted("A thread's stack is {} (ulimit -s), a small part of the usual 8 MiB: "
                  "deep recursion and some native libraries overrun it.",
                  human(Bytes{*soft})),
        {{"/proc/self/limits", formatted("Max stack size {}", *soft)}},
        {raised(environment, environment.limits->stack, {'s', "stack", 1024}, 8U << 20U)});
}

void locked_memory(const Environment& environment, CheckResult& judgement) {
    if (!environment.limits || !environment.limits->locked.known)
        return judgement.impossible(no_limits);
    if (!environment.rdma) return judgement.impossible("no InfiniBand or RoCE device");
    const auto soft = environment.limits->locked.soft;
    if (!soft || Bytes{*soft} >= Bytes::gib(1)) return;
    judgement.find(Severity::will_hurt, "locked-memory-limit"_cause,
                   formatted("A process may lock {} of memory (ulimit -l), and this machine has "
                             "RDMA: NCCL cannot register its buffers.",
                             human(Bytes{*soft})),
                   {{"/proc/self/limits", formatted("Max locked memory {}", *soft)},
                    {"/sys/class/infiniband", "present"}},
                   {raised(environment, environment.limits->locked, {'l', "memlock"})});
}

}  // namespace holdfast::check::rules
