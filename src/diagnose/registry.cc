// The list of rules: a rule that is not here does not exist.
#include <array>

#include "diagnose/rule.h"
#include "diagnose/rules/rules.h"

namespace holdfast {
namespace {

constexpr std::array<Rule, 54> registry{
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
};

}  // namespace

std::span<const Rule> all_rules() { return registry; }

std::vector<Finding> findings_about(const Death& death) {
    std::vector<Finding> said;
    for (const Rule rule : registry)
        if (std::optional<Finding> finding = rule(death)) said.push_back(std::move(*finding));
    return said;
}

}  // namespace holdfast
