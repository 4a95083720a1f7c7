// The rules by family; each file of this folder defines the ones under its name.
#pragma once

#include <optional>

#include "diagnose/death.h"
#include "diagnose/finding.h"

namespace holdfast::rules {

// host_oom.cc
std::optional<Finding> cgroup_oom(const Death& death);
std::optional<Finding> host_oom(const Death& death);
// oom_victim.cc
std::optional<Finding> oom_victim(const Death& death);
// worker_oom.cc
std::optional<Finding> worker_oom(const Death& death);
// refused_memory.cc
std::optional<Finding> alloc_refused(const Death& death);
std::optional<Finding> address_limit(const Death& death);
std::optional<Finding> overcommit_limit(const Death& death);
std::optional<Finding> map_count(const Death& death);
// guard_refused.cc
std::optional<Finding> guard_refused(const Death& death);
// userspace_oom.cc
std::optional<Finding> userspace_oom(const Death& death);
// swap_thrash.cc
std::optional<Finding> swap_thrash(const Death& death);
// shm_full.cc
std::optional<Finding> shm_full(const Death& death);
// host_leak.cc
std::optional<Finding> host_leak(const Death& death);
std::optional<Finding> gpu_leak(const Death& death);
// gpu_memory.cc
std::optional<Finding> cuda_oom(const Death& death);
std::optional<Finding> cuda_fragmentation(const Death& death);
std::optional<Finding> gpu_occupied(const Death& death);
std::optional<Finding> gpu_preallocated(const Death& death);
// large_data.cc
std::optional<Finding> dataset_in_ram(const Death& death);
std::optional<Finding> worker_copies(const Death& death);
// native_crash.cc
std::optional<Finding> segfault(const Death& death);
std::optional<Finding> stack_overflow(const Death& death);
std::optional<Finding> native_race(const Death& death);
std::optional<Finding> illegal_instruction(const Death& death);
std::optional<Finding> arithmetic_trap(const Death& death);
// bus_error.cc
std::optional<Finding> bus_error(const Death& death);
// native_abort.cc
std::optional<Finding> heap_corruption(const Death& death);
std::optional<Finding> native_abort(const Death& death);
// fatal_python.cc
std::optional<Finding> fatal_python_error(const Death& death);
// telling_text.cc
std::optional<Finding> telling_text(const Death& death);
// gpu_fault.cc
std::optional<Finding> cuda_illegal_access(const Death& death);
std::optional<Finding> cuda_assert(const Death& death);
std::optional<Finding> label_behind_assert(const Death& death);
// runtime_clash.cc
std::optional<Finding> allocator_clash(const Death& death);
std::optional<Finding> runtime_clash(const Death& death);
// thread_limit.cc
std::optional<Finding> thread_limit(const Death& death);
// limits.cc
std::optional<Finding> fd_limit(const Death& death);
std::optional<Finding> cpu_time_limit(const Death& death);
std::optional<Finding> file_size_limit(const Death& death);
// disk_full.cc
std::optional<Finding> disk_full(const Death& death);
// nan_loss.cc
std::optional<Finding> nan_loss(const Death& death);
// bad_label.cc
std::optional<Finding> bad_label(const Death& death);
// shape_mismatch.cc
std::optional<Finding> shape_mismatch(const Death& death);
// bad_file.cc
std::optional<Finding> bad_input(const Death& death);
std::optional<Finding> checkpoint_corrupt(const Death& death);
// deadlock.cc
std::optional<Finding> fork_deadlock(const Death& death);
std::optional<Finding> lock_deadlock(const Death& death);
// stalled.cc
std::optional<Finding> loader_stall(const Death& death);
std::optional<Finding> loader_timeout(const Death& death);
std::optional<Finding> no_progress(const Death& death);
std::optional<Finding> io_stall(const Death& death);
// collective.cc
std::optional<Finding> collective_stall(const Death& death);
std::optional<Finding> collective_timeout(const Death& death);
// uneven_steps.cc
std::optional<Finding> uneven_steps(const Death& death);
// shut_down.cc
std::optional<Finding> shut_down(const Death& death);
// hardware.cc
std::optional<Finding> gpu_lost(const Death& death);
std::optional<Finding> gpu_ecc(const Death& death);
std::optional<Finding> gpu_throttled(const Death& death);
std::optional<Finding> disk_errors(const Death& death);
// life_cycle.cc
std::optional<Finding> clean_exit(const Death& death);
std::optional<Finding> exception(const Death& death);
std::optional<Finding> exit_called(const Death& death);
// signalled.cc
std::optional<Finding> killed(const Death& death);
std::optional<Finding> interrupted(const Death& death);
std::optional<Finding> hangup(const Death& death);
std::optional<Finding> preempted(const Death& death);
std::optional<Finding> unknown_kill(const Death& death);

}  // namespace holdfast::rules
