// The rules that explain an end. `uneven_steps`, which only adds to a verdict, is called in
// diagnose.cc.
#include <array>

#include "diagnose/rule.h"
#include "diagnose/rules/rules.h"

namespace holdfast {
namespace {

constexpr std::array registry = std::to_array<Rule>({
    rules::cgroup_oom,
    rules::host_oom,
    rules::oom_victim,
    rules::worker_oom,
    rules::alloc_refused,
    rules::address_limit,
    rules::overcommit_limit,
    rules::map_count,
    rules::userspace_oom,
    rules::host_leak,
    rules::dataset_in_ram,
    rules::swap_thrash,
    rules::shm_full,
    rules::guard_refused,
    rules::worker_copies,
    rules::cuda_oom,
    rules::cuda_fragmentation,
    rules::gpu_occupied,
    rules::gpu_leak,
    rules::gpu_preallocated,
    rules::segfault,
    rules::stack_overflow,
    rules::heap_corruption,
    rules::bus_error,
    rules::illegal_instruction,
    rules::native_abort,
    rules::arithmetic_trap,
    rules::native_race,
    rules::fatal_python_error,
    rules::telling_text,
    rules::cuda_illegal_access,
    rules::cuda_assert,
    rules::label_behind_assert,
    rules::allocator_clash,
    rules::runtime_clash,
    rules::thread_limit,
    rules::fd_limit,
    rules::disk_full,
    rules::cpu_time_limit,
    rules::file_size_limit,
    rules::nan_loss,
    rules::bad_label,
    rules::shape_mismatch,
    rules::bad_input,
    rules::checkpoint_corrupt,
    rules::loader_timeout,
    rules::collective_timeout,
    rules::peer_lost,
    rules::gpu_lost,
    rules::gpu_ecc,
    rules::gpu_throttled,
    rules::disk_errors,
    rules::clean_exit,
    rules::exception,
    rules::killed,
    rules::interrupted,
    rules::hangup,
    rules::preempted,
    rules::exit_called,
    rules::shut_down,
    rules::unknown_kill,
    rules::stopped_by_launcher,
});

// About a run that does not move, or did not move when it was stopped. At most one of them finds
// something.
constexpr std::array<Rule, 6> stall_registry{
    rules::fork_deadlock,    rules::loader_stall, rules::no_progress,
    rules::collective_stall, rules::io_stall,     rules::lock_deadlock,
};

}  // namespace

std::optional<Finding> stall_of(const Autopsy& death) {
    for (const Rule rule : stall_registry)
        if (std::optional<Finding> finding = rule(death)) return finding;
    return std::nullopt;
}

std::span<const Rule> all_rules() { return registry; }

std::vector<Finding> findings_about(const Autopsy& death) {
    std::vector<Finding> said;
    for (const Rule rule : registry)
        if (std::optional<Finding> finding = rule(death)) said.push_back(std::move(*finding));
    return said;
}

}  // namespace holdfast
