// The rules of all checks; the files in this folder define them by family.
#pragma once

#include "check/rule.h"

namespace holdfast::check::rules {

using Rule = void(const Environment&, CheckResult&);

// Null if the environment's packages could not be read; records the reason in that case.
const Python* readable_python(const Environment& environment, CheckResult& judgement);

Rule driver_for_torch, driver_for_tensorflow, driver_for_jax, driver_library, driver_device_files,
    driver_missing_library, gpu_code_torch, gpu_code_tensorflow, cpu_build, hidden_gpus;
Rule gpu_lost, gpu_fabric, gpu_mig, gpu_compute_mode, gpu_persistence, gpu_ecc, gpu_remapped_rows,
    gpu_recovery, gpu_xids, gpu_clocks, gpu_temperature, gpu_link, gpu_numa, gpu_memory_taken,
    gpu_preallocation;
Rule pinned_packages, package_twice, numpy_builds, protobuf_fits, nvidia_packages, module_shadowed,
    framework_import;
Rule library_missing, cuda_library_missing, symbols_missing, wrong_cudnn, cuda_library_path,
    library_versions, openmp_twice, openmp_silenced, mkl_kernels, preloaded_allocators,
    runtime_clash, no_display;
Rule memory_available, memory_pressure, cgroup_memory, cgroup_high, cgroup_oom_group, swap_left,
    address_limit, data_limit, overcommit, map_count;
Rule open_files, processes_limit, cgroup_pids, kernel_threads, cpu_time, file_size, stack_size,
    locked_memory;
Rule shm_size, shm_free, shm_left_over, tmpfs_room;
Rule cpu_flags, cpu_emulated, cpu_quota, thread_variables;
Rule disk_space, disk_inodes, disk_writable, disk_network, disk_health;
Rule ram_errors, host_heat, host_alarms;
Rule kernel_program, kernel_ipykernel, kernel_environment, kernel_unwatched;

}  // namespace holdfast::check::rules
