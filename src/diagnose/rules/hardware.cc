// HF801, HF802, HF803 and HF805: the machine itself failed, as its own logs and counters show.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "diagnose/facts/gpu.h"
#include "diagnose/facts/limits.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/last_text.h"

namespace holdfast::rules {
namespace {

const KernelLogEntry* logged(const Evidence& all, std::initializer_list<int> xids) {
    for (const KernelLogEntry& entry : all.kernel_log)
        if (entry.kind == KernelLogEntry::Kind::gpu_fault && entry.xid &&
            std::find(xids.begin(), xids.end(), *entry.xid) != xids.end())
            return &entry;
    return nullptr;
}

// The driver names a process for some faults, but never for a card that is gone.
bool about_us(const Autopsy& death, const KernelLogEntry& entry) {
    return entry.pid && death.all.host.in_first_pid_namespace &&
           death.all.process(*entry.pid) != nullptr;
}

bool holds_a_gpu(const Autopsy& death) {
    for (const GpuEvidence& gpu : death.all.gpus)
        for (const GpuEvidence::Holder& holder : gpu.processes)
            if (holder.ours) return true;
    return false;
}

bool speaks_of_gpu(const Autopsy& death) {
    const std::initializer_list<std::string_view> names{"CUDA",  "cuda",  "NCCL",
                                                        "nvrtc", "cuDNN", "CUBLAS"};
    const std::optional<Said> said = said_last(death, names);
    if (!said) return false;
    const std::string words = without_paths(said->line);
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return words.find(name) != std::string::npos;
    });
}

}  // namespace

std::optional<Finding> gpu_lost(const Autopsy& death) {
    if (!death.failed()) return std::nullopt;
    const KernelLogEntry* entry = logged(death.all, {79});
    const auto lost = std::find_if(death.all.gpus.begin(), death.all.gpus.end(),
                                   [](const GpuEvidence& gpu) { return gpu.lost; });
    if (entry == nullptr && lost == death.all.gpus.end()) return std::nullopt;
    const bool ours = holds_a_gpu(death) || speaks_of_gpu(death);
    return finding_about(death, "gpu-lost"_cause, ours ? Confidence::certain : Confidence::likely,
                         facts::GpuLost{entry, lost != death.all.gpus.end() ? &*lost : nullptr});
}

std::optional<Finding> gpu_ecc(const Autopsy& death) {
    if (!death.failed()) return std::nullopt;
    const KernelLogEntry* entry = logged(death.all, {48, 64, 94, 95});
    const std::optional<Said> said = said_last(death, {"uncorrectable ECC error"});
    if (entry == nullptr && !said) return std::nullopt;
    const bool ours = said || (entry != nullptr && about_us(death, *entry));
    if (!ours && !holds_a_gpu(death) && !speaks_of_gpu(death)) return std::nullopt;
    return finding_about(death, "gpu-ecc"_cause,
                         ours && death.exit_known() ? Confidence::certain : Confidence::likely,
                         facts::GpuEcc{said, entry});
}

// Not an end: it made the run slow, and perhaps somebody lost patience.
std::optional<Finding> gpu_throttled(const Autopsy& death) {
    constexpr std::uint64_t hot = 0x20U | 0x40U, power = 0x08U | 0x80U;
    for (const GpuEvidence& gpu : death.all.gpus) {
        const std::uint64_t reasons = gpu.clock_event_reasons.value_or(0);
        const bool ours = std::any_of(gpu.processes.begin(), gpu.processes.end(),
                                      [](const auto& holder) { return holder.ours; });
        if ((reasons & (hot | power)) == 0 || !ours) continue;
        // Only likely: this is from the last look, not from the whole run.
        Finding finding = finding_about(death, "gpu-throttled"_cause, Confidence::likely,
                                        facts::GpuThrottled{&gpu, (reasons & hot) != 0});
        finding.where.reset();
        finding.pid = death.pid;
        return finding;
    }
    return std::nullopt;
}

std::optional<Finding> disk_errors(const Autopsy& death) {
    const std::optional<Said> said =
        said_last(death, {"[Errno 5] Input/output error", "Input/output error"});
    if (!said) return std::nullopt;
    const auto entry = std::find_if(
        death.all.kernel_log.begin(), death.all.kernel_log.end(),
        [](const KernelLogEntry& e) { return e.kind == KernelLogEntry::Kind::io_error; });
    const bool both = entry != death.all.kernel_log.end();
    return finding_about(
        death, "disk-errors"_cause,
        both && said->final && death.exit_known() ? Confidence::certain : Confidence::likely,
        facts::DiskErrors{*said, both ? &*entry : nullptr});
}

}  // namespace holdfast::rules
