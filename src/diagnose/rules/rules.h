// The rules by family; each file of this folder defines the ones under its name.
#pragma once

#include <optional>

#include "diagnose/autopsy.h"
#include "diagnose/finding.h"

namespace holdfast::rules {

// host_oom.cc
std::optional<Finding> cgroup_oom(const Autopsy& death);
std::optional<Finding> host_oom(const Autopsy& death);
// oom_victim.cc
std::optional<Finding> oom_victim(const Autopsy& death);
// worker_oom.cc
std::optional<Finding> worker_oom(const Autopsy& death);
// refused_memory.cc
std::optional<Finding> alloc_refused(const Autopsy& death);
std::optional<Finding> address_limit(const Autopsy& death);
std::optional<Finding> overcommit_limit(const Autopsy& death);
std::optional<Finding> map_count(const Autopsy& death);
// guard_refused.cc
std::optional<Finding> guard_refused(const Autopsy& death);
// userspace_oom.cc
std::optional<Finding> userspace_oom(const Autopsy& death);
// swap_thrash.cc
std::optional<Finding> swap_thrash(const Autopsy& death);
// shm_full.cc
std::optional<Finding> shm_full(const Autopsy& death);
// host_leak.cc
std::optional<Finding> host_leak(const Autopsy& death);
std::optional<Finding> gpu_leak(const Autopsy& death);
// gpu_memory.cc
std::optional<Finding> cuda_oom(const Autopsy& death);
std::optional<Finding> cuda_fragmentation(const Autopsy& death);
std::optional<Finding> gpu_occupied(const Autopsy& death);
std::optional<Finding> gpu_preallocated(const Autopsy& death);
// large_data.cc
std::optional<Finding> dataset_in_ram(const Autopsy& death);
std::optional<Finding> worker_copies(const Autopsy& death);
// native_crash.cc
std::optional<Finding> segfault(const Autopsy& death);
std::optional<Finding> stack_overflow(const Autopsy& death);
std::optional<Finding> native_race(const Autopsy& death);
std::optional<Finding> illegal_instruction(const Autopsy& death);
std::optional<Finding> arithmetic_trap(const Autopsy& death);
// bus_error.cc
std::optional<Finding> bus_error(const Autopsy& death);
// native_abort.cc
std::optional<Finding> heap_corruption(const Autopsy& death);
std::optional<Finding> native_abort(const Autopsy& death);
// fatal_python.cc
std::optional<Finding> fatal_python_error(const Autopsy& death);
// telling_text.cc
std::optional<Finding> telling_text(const Autopsy& death);
// gpu_fault.cc
std::optional<Finding> cuda_illegal_access(const Autopsy& death);
std::optional<Finding> cuda_assert(const Autopsy& death);
std::optional<Finding> label_behind_assert(const Autopsy& death);
// runtime_clash.cc
std::optional<Finding> allocator_clash(const Autopsy& death);
std::optional<Finding> runtime_clash(const Autopsy& death);
// thread_limit.cc
std::optional<Finding> thread_limit(const Autopsy& death);
// limits.cc
std::optional<Finding> fd_limit(const Autopsy& death);
std::optional<Finding> cpu_time_limit(const Autopsy& death);
std::optional<Finding> file_size_limit(const Autopsy& death);
// disk_full.cc
std::optional<Finding> disk_full(const Autopsy& death);
// nan_loss.cc
std::optional<Finding> nan_loss(const Autopsy& death);
// bad_label.cc
std::optional<Finding> bad_label(const Autopsy& death);
// shape_mismatch.cc
std::optional<Finding> shape_mismatch(const Autopsy& death);
// bad_file.cc
std::optional<Finding> bad_input(const Autopsy& death);
std::optional<Finding> checkpoint_corrupt(const Autopsy& death);
// deadlock.cc
std::optional<Finding> fork_deadlock(const Autopsy& death);
std::optional<Finding> lock_deadlock(const Autopsy& death);
// stalled.cc
std::optional<Finding> loader_stall(const Autopsy& death);
std::optional<Finding> loader_timeout(const Autopsy& death);
std::optional<Finding> no_progress(const Autopsy& death);
std::optional<Finding> io_stall(const Autopsy& death);
// collective.cc
std::optional<Finding> collective_stall(const Autopsy& death);
std::optional<Finding> collective_timeout(const Autopsy& death);
// peer_lost.cc
std::optional<Finding> peer_lost(const Autopsy& death);
// uneven_steps.cc
std::optional<Finding> uneven_steps(const Autopsy& death);
// shut_down.cc
std::optional<Finding> shut_down(const Autopsy& death);
// hardware.cc
std::optional<Finding> gpu_lost(const Autopsy& death);
std::optional<Finding> gpu_ecc(const Autopsy& death);
std::optional<Finding> gpu_throttled(const Autopsy& death);
std::optional<Finding> disk_errors(const Autopsy& death);
// life_cycle.cc
std::optional<Finding> clean_exit(const Autopsy& death);
std::optional<Finding> exception(const Autopsy& death);
std::optional<Finding> exit_called(const Autopsy& death);
// signalled.cc
std::optional<Finding> killed(const Autopsy& death);
std::optional<Finding> interrupted(const Autopsy& death);
std::optional<Finding> hangup(const Autopsy& death);
std::optional<Finding> preempted(const Autopsy& death);
std::optional<Finding> unknown_kill(const Autopsy& death);
std::optional<Finding> stopped_by_launcher(const Autopsy& death);

}  // namespace holdfast::rules
