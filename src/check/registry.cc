// The list of checks: only checks in this list are run.
#include <algorithm>
#include <array>

#include "check/rule.h"
#include "check/rules/rules.h"

namespace holdfast::check {
namespace {

constexpr bool cheap = true;

constexpr std::array registry = std::to_array<CheckRule>({
    {"driver-torch", rules::driver_for_torch, cheap},
    {"driver-tensorflow", rules::driver_for_tensorflow, cheap},
    {"driver-jax", rules::driver_for_jax, cheap},
    {"driver-library", rules::driver_library},
    {"driver-device-files", rules::driver_device_files, cheap},
    {"driver-libcuda", rules::driver_missing_library},
    {"gpu-code-torch", rules::gpu_code_torch},
    {"gpu-code-tensorflow", rules::gpu_code_tensorflow},
    {"cpu-build", rules::cpu_build, cheap},
    {"hidden-gpus", rules::hidden_gpus},
    {"gpu-lost", rules::gpu_lost},
    {"gpu-fabric", rules::gpu_fabric},
    {"gpu-mig", rules::gpu_mig},
    {"gpu-compute-mode", rules::gpu_compute_mode},
    {"gpu-persistence", rules::gpu_persistence},
    {"gpu-ecc", rules::gpu_ecc},
    {"gpu-remapped-rows", rules::gpu_remapped_rows},
    {"gpu-recovery", rules::gpu_recovery},
    {"gpu-xid", rules::gpu_xids},
    {"gpu-clocks", rules::gpu_clocks},
    {"gpu-temperature", rules::gpu_temperature},
    {"gpu-link", rules::gpu_link},
    {"gpu-numa", rules::gpu_numa, cheap},
    {"gpu-memory-taken", rules::gpu_memory_taken},
    {"gpu-preallocation", rules::gpu_preallocation, cheap},
    {"package-pins", rules::pinned_packages, cheap},
    {"package-twice", rules::package_twice, cheap},
    {"nvidia-packages", rules::nvidia_packages, cheap},
    {"numpy-builds", rules::numpy_builds, cheap},
    {"protobuf", rules::protobuf_fits, cheap},
    {"module-shadowed", rules::module_shadowed, cheap},
    {"framework-import", rules::framework_import},
    {"library-missing", rules::library_missing, cheap},
    {"cuda-library-missing", rules::cuda_library_missing, cheap},
    {"symbols-missing", rules::symbols_missing, cheap},
    {"cudnn-path", rules::wrong_cudnn, cheap},
    {"cuda-library-path", rules::cuda_library_path, cheap},
    {"library-versions", rules::library_versions, cheap},
    {"openmp-twice", rules::openmp_twice, cheap},
    {"openmp-silenced", rules::openmp_silenced, cheap},
    {"mkl-kernels", rules::mkl_kernels, cheap},
    {"preloaded-allocators", rules::preloaded_allocators, cheap},
    {"runtime-clash", rules::runtime_clash, cheap},
    {"no-display", rules::no_display, cheap},
    {"memory-available", rules::memory_available, cheap},
    {"memory-pressure", rules::memory_pressure, cheap},
    {"cgroup-memory", rules::cgroup_memory, cheap},
    {"cgroup-high", rules::cgroup_high, cheap},
    {"cgroup-oom-group", rules::cgroup_oom_group, cheap},
    {"swap", rules::swap_left, cheap},
    {"address-limit", rules::address_limit, cheap},
    {"data-limit", rules::data_limit, cheap},
    {"overcommit", rules::overcommit, cheap},
    {"map-count", rules::map_count, cheap},
    {"open-files", rules::open_files, cheap},
    {"processes-limit", rules::processes_limit, cheap},
    {"cgroup-pids", rules::cgroup_pids, cheap},
    {"kernel-threads", rules::kernel_threads, cheap},
    {"cpu-time", rules::cpu_time, cheap},
    {"file-size", rules::file_size, cheap},
    {"stack-size", rules::stack_size, cheap},
    {"locked-memory", rules::locked_memory, cheap},
    {"shm-size", rules::shm_size, cheap},
    {"shm-free", rules::shm_free, cheap},
    {"shm-left-over", rules::shm_left_over, cheap},
    {"tmpfs-room", rules::tmpfs_room, cheap},
    {"cpu-flags", rules::cpu_flags, cheap},
    {"cpu-emulated", rules::cpu_emulated, cheap},
    {"cpu-quota", rules::cpu_quota, cheap},
    {"thread-variables", rules::thread_variables, cheap},
    {"disk-space", rules::disk_space, cheap},
    {"disk-inodes", rules::disk_inodes, cheap},
    {"disk-writable", rules::disk_writable, cheap},
    {"disk-network", rules::disk_network, cheap},
    {"disk-health", rules::disk_health},
    {"ram-errors", rules::ram_errors},
    {"host-heat", rules::host_heat},
    {"host-alarms", rules::host_alarms},
    {"kernel-program", rules::kernel_program},
    {"kernel-ipykernel", rules::kernel_ipykernel},
    {"kernel-environment", rules::kernel_environment},
    {"kernel-unwatched", rules::kernel_unwatched},
});

JudgedPython judged_python(const Python& python) {
    JudgedPython judged{python.program, python.version, {}};
    for (const Framework& framework : python.frameworks)
        judged.frameworks.push_back(framework.name + ' ' + framework.version);
    return judged;
}

}  // namespace

std::span<const CheckRule> all_checks() { return registry; }

CheckReport judge(const Environment& environment, CheckExtent extent) {
    CheckReport report;
    if (environment.python) report.python = judged_python(*environment.python);
    for (const CheckRule& check : registry) {
        if (extent == CheckExtent::cheap && !check.cheap) continue;
        CheckResult judgement;
        check.judge(environment, judgement);
        for (CheckFinding& finding : judgement.findings()) {
            finding.check = check.name;
            report.findings.push_back(std::move(finding));
        }
        if (!judgement.findings().empty()) continue;
        if (judgement.why_not().empty())
            ++report.fine;
        else
            report.impossible.push_back({std::string(check.name), judgement.why_not()});
    }
    std::stable_sort(
        report.findings.begin(), report.findings.end(),
        [](const CheckFinding& a, const CheckFinding& b) { return a.severity < b.severity; });
    return report;
}

}  // namespace holdfast::check
