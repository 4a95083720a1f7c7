// Available memory: of the machine and the container, and limits that refuse it.
#include "base/format.h"
#include "check/rules/rules.h"
#include "check/rules/ulimit.h"

namespace holdfast::check::rules {
namespace {

// Importing torch or TensorFlow with a small model takes about this much.
constexpr Bytes small_need = Bytes::gib(1);
constexpr Bytes comfortable = Bytes::gib(2);

// The level with the least memory left, and its limit.
struct Tightest {
    const sources::CgroupMemoryLevel* level = nullptr;
    Bytes left;
};

std::optional<Tightest> tightest(const Environment& environment) {
    std::optional<Tightest> best;
    for (const sources::CgroupMemoryLevel& level : environment.memory_levels) {
        if (!level.limit || !level.usage) continue;
        // The kernel reclaims clean file pages when memory is requested.
        const Bytes cache =
            level.stat.inactive_file.value_or(Bytes{}) + level.stat.active_file.value_or(Bytes{});
        const Bytes held = *level.usage - cache;
        const Bytes left = *level.limit - held;
        if (!best || left < best->left) best = Tightest{&level, left};
    }
    return best;
}

}  // namespace

void memory_available(const Environment& environment, CheckResult& judgement) {
    if (!environment.memory || !environment.memory->total || !environment.memory->available)
        return judgement.impossible("/proc/meminfo is not readable");
    const Bytes total = *environment.memory->total;
    const Bytes available = *environment.memory->available;
    if (available >= small_need || available.share_of(total) >= 0.5) return;
    judgement.find(Severity::will_hurt, "host-oom"_cause,
                   formatted("Only {} of the machine's {} of memory are available.",
                             human(available), human(total)),
                   {{"/proc/meminfo", formatted("MemAvailable {}", human(available))}},
                   {{"See who has it.", "ps -eo pid,rss,comm --sort=-rss | head"}});
}

void memory_pressure(const Environment& environment, CheckResult& judgement) {
    if (!environment.pressure || !environment.pressure->full)
        return judgement.impossible("no pressure figures (/proc/pressure/memory)");
    const double share = environment.pressure->full->average_60s;
    if (share < 10) return;
    judgement.find(Severity::will_hurt, "swap-thrash"_cause,
                   formatted("In the last minute all work of this machine stood still {:.0f} % of "
                             "the time, waiting for memory.",
                             share),
                   {{"/proc/pressure/memory", formatted("full avg60={:.2f}", share)}},
                   {{"See who takes it.", "ps -eo pid,rss,comm --sort=-rss | head"}});
}

void cgroup_memory(const Environment& environment, CheckResult& judgement) {
    if (!environment.cgroup_seen) return judgement.impossible("no cgroup is visible");
    const auto tight = tightest(environment);
    if (!tight || tight->left >= comfortable) return;
    const sources::CgroupMemoryLevel& level = *tight->level;
    judgement.find(
        tight->left < small_need ? Severity::will_hurt : Severity::note, "cgroup-oom"_cause,
        formatted("This cgroup may use {} of memory and {} of it are left: the kernel kills a "
                  "process that asks for more.",
                  human(*level.limit), human(tight->left)),
        {{level.path, formatted("limit {}, usage {}", human(*level.limit), human(*level.usage))}},
        {{"Raise the container's limit.", "docker run --memory 8g ..."},
         {"Or get a MemoryError instead of the kill.",
          "holdfast run --guard=on -- python train.py"}});
}

void cgroup_high(const Environment& environment, CheckResult& judgement) {
    if (!environment.cgroup_seen) return judgement.impossible("no cgroup is visible");
    for (const sources::CgroupMemoryLevel& level : environment.memory_levels) {
        if (!level.high || (level.limit && *level.high >= *level.limit)) continue;
        const bool near = level.usage && level.usage->share_of(*level.high) >= 0.9;
        return judgement.find(
            near ? Severity::will_hurt : Severity::note, "swap-thrash"_cause,
            formatted(
                "Above {} (memory.high) every allocation of this cgroup is slowed down{}.",
                human(*level.high),
                level.usage ? formatted("; {} are in use", human(*level.usage)) : std::string()),
            {{level.path + "/memory.high", human(*level.high)}},
            {{"Raise it to the limit.",
              formatted("echo max | sudo tee {}/memory.high", level.path)}});
    }
}

void cgroup_oom_group(const Environment& environment, CheckResult& judgement) {
    if (!environment.cgroup_seen) return judgement.impossible("no cgroup is visible");
    for (const sources::CgroupMemoryLevel& level : environment.memory_levels) {
        if (level.oom_group != true || !level.limit) continue;
        return judgement.find(Severity::note, "cgroup-oom"_cause,
                              formatted("At {} the kernel kills every process of the cgroup, not "
                                        "only the largest (memory.oom.group).",
                                        human(*level.limit)),
                              {{level.path + "/memory.oom.group", "1"}},
                              {{"Keep headroom for the workers.", ""}});
    }
}

void swap_left(const Environment& environment, CheckResult& judgement) {
    if (!environment.memory || !environment.memory->swap_total || !environment.memory->swap_free)
        return judgement.impossible("/proc/meminfo is not readable");
    const Bytes total = *environment.memory->swap_total;
    const Bytes free = *environment.memory->swap_free;
    if (total.count == 0 || free.share_of(total) >= 0.1) return;
    judgement.find(Severity::note, "swap-thrash"_cause,
                   formatted("Of {} of swap only {} are free: the machine has been short of "
                             "memory.",
                             human(total), human(free)),
                   {{"/proc/meminfo", formatted("SwapFree {}", human(free))}},
                   {{"See who was swapped out.", "ps -eo pid,rss,comm --sort=-rss | head"}});
}

void address_limit(const Environment& environment, CheckResult& judgement) {
    if (!environment.limits || !environment.limits->address_space.known)
        return judgement.impossible("/proc/self/limits is not readable");
    const auto limit = environment.limits->address_space.soft;
    if (!limit) return;
    const Bytes amount{*limit};
    const bool gpu = environment.nvidia.present();
    // CUDA reserves addresses for all memory of the machine and its GPUs.
    const bool small = amount < Bytes::gib(16) || (gpu && amount < Bytes::gib(128));
    judgement.find(small ? Severity::will_hurt : Severity::note, "address-limit"_cause,
                   formatted("ulimit -v allows {} of address space{}: an allocation beyond that "
                             "fails even when memory is free.",
                             human(amount),
                             gpu ? ", and CUDA alone reserves more than most machines have"
                                 : ", and a framework's libraries and threads take some GiB"),
                   {{"/proc/self/limits", formatted("Max address space {}", *limit)}},
                   {raised(environment, environment.limits->address_space, {'v', "as"})});
}

void data_limit(const Environment& environment, CheckResult& judgement) {
    if (!environment.limits || !environment.limits->data.known)
        return judgement.impossible("/proc/self/limits is not readable");
    const auto limit = environment.limits->data.soft;
    if (!limit) return;
    const Bytes amount{*limit};
    judgement.find(amount < Bytes::gib(16) ? Severity::will_hurt : Severity::note,
                   "address-limit"_cause,
                   formatted("ulimit -d allows {} of private memory: an allocation beyond that "
                             "fails even when memory is free.",
                             human(amount)),
                   {{"/proc/self/limits", formatted("Max data size {}", *limit)}},
                   {raised(environment, environment.limits->data, {'d', "data"})});
}

void overcommit(const Environment& environment, CheckResult& judgement) {
    if (!environment.kernel.overcommit_memory)
        return judgement.impossible("/proc/sys/vm/overcommit_memory is not readable");
    if (*environment.kernel.overcommit_memory != 2) return;
    const auto& memory = environment.memory;
    const bool known = memory && memory->commit_limit && memory->committed;
    const Bytes most = known ? *memory->commit_limit : Bytes{};
    const Bytes left = known ? most - *memory->committed : Bytes{};
    const bool tight = known && (left < Bytes::gib(8) || left.share_of(most) < 0.1);
    judgement.find(
        tight ? Severity::will_hurt : Severity::note, "overcommit-limit"_cause,
        known
            ? formatted(
                  "The kernel does not overcommit memory (vm.overcommit_memory=2), and {} of {} "
                  "are left: CUDA, forked workers and large arrays reserve far more than they use.",
                  human(left), human(*memory->commit_limit))
            : std::string("The kernel does not overcommit memory (vm.overcommit_memory=2)."),
        {{"/proc/sys/vm/overcommit_memory", "2"},
         {"/proc/meminfo", known
                               ? formatted("Committed_AS {} of CommitLimit {}",
                                           human(*memory->committed), human(*memory->commit_limit))
                               : std::string("no CommitLimit")}},
        {{"Let the kernel overcommit.", "sudo sysctl vm.overcommit_memory=0"}});
}

void map_count(const Environment& environment, CheckResult& judgement) {
    if (!environment.kernel.max_map_count)
        return judgement.impossible("/proc/sys/vm/max_map_count is not readable");
    constexpr std::uint64_t usual = 65530;
    if (*environment.kernel.max_map_count >= usual) return;
    judgement.find(
        Severity::will_hurt, "map-count"_cause,
        formatted("A process may have {} mappings, fewer than the usual {}: many shared tensors or "
                  "memory-mapped files exceed that.",
                  *environment.kernel.max_map_count, usual),
        {{"/proc/sys/vm/max_map_count", formatted("{}", *environment.kernel.max_map_count)}},
        {{"Raise it.", "sudo sysctl vm.max_map_count=262144"}});
}

}  // namespace holdfast::check::rules
