// HF801, HF802, HF803 and HF805: the machine itself failed, as its own logs and counters tell.
#include <algorithm>
#include <initializer_list>

#include "base/format.h"
#include "diagnose/last_text.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

const KernelLogEntry* logged(const Evidence& all, std::initializer_list<int> xids) {
    for (const KernelLogEntry& entry : all.kernel_log)
        if (entry.kind == KernelLogEntry::Kind::gpu_fault && entry.xid &&
            std::find(xids.begin(), xids.end(), *entry.xid) != xids.end())
            return &entry;
    return nullptr;
}

// The driver names the process for some faults; a card that is gone has nobody.
bool about_us(const Death& death, const KernelLogEntry& entry) {
    return entry.pid && death.all.host.in_first_pid_namespace &&
           death.all.process(*entry.pid) != nullptr;
}

bool holds_a_gpu(const Death& death) {
    for (const GpuEvidence& gpu : death.all.gpus)
        for (const GpuEvidence::Holder& holder : gpu.processes)
            if (holder.ours) return true;
    return false;
}

bool speaks_of_gpu(const Death& death) {
    return said_last(death, {"CUDA", "cuda", "NCCL", "nvrtc", "cuDNN", "CUBLAS"}).has_value();
}

}  // namespace

std::optional<Finding> gpu_lost(const Death& death) {
    if (!death.failed()) return std::nullopt;
    const KernelLogEntry* entry = logged(death.all, {79});
    const auto lost = std::find_if(death.all.gpus.begin(), death.all.gpus.end(),
                                   [](const GpuEvidence& gpu) { return gpu.lost; });
    if (entry == nullptr && lost == death.all.gpus.end()) return std::nullopt;
    const bool ours = holds_a_gpu(death) || speaks_of_gpu(death);
    const std::string which =
        lost != death.all.gpus.end() ? formatted("GPU {} ({})", lost->index, lost->name) : "A GPU";
    Finding finding = finding_about(
        death, "gpu-lost"_cause, ours ? Confidence::certain : Confidence::likely,
        formatted("{} stopped answering on the bus while {} ran; only a restart of the machine "
                  "brings it back.",
                  which, who(death)));
    if (entry != nullptr) finding.evidence.push_back({"kernel log", shortened(entry->text)});
    if (lost != death.all.gpus.end())
        finding.evidence.push_back({"NVML", formatted("GPU {} is lost", lost->index)});
    finding.fixes.push_back(
        {"Power the machine off and on, or ask for another one; go on with the other cards until "
         "then.",
         lost != death.all.gpus.end() && death.all.gpus.size() > 1
             ? "CUDA_VISIBLE_DEVICES=...   # without " + std::to_string(lost->index)
             : ""});
    finding.fixes.push_back(
        {"If it comes back: test with a lower power limit, then cables, heat "
         "and seat.",
         "sudo nvidia-smi -pl 250"});
    return finding;
}

std::optional<Finding> gpu_ecc(const Death& death) {
    if (!death.failed()) return std::nullopt;
    const KernelLogEntry* entry = logged(death.all, {48, 64, 94, 95});
    const std::optional<Said> said = said_last(death, {"uncorrectable ECC error"});
    if (entry == nullptr && !said) return std::nullopt;
    const bool ours = said || (entry != nullptr && about_us(death, *entry));
    if (!ours && !holds_a_gpu(death) && !speaks_of_gpu(death)) return std::nullopt;
    Finding finding = finding_about(
        death, "gpu-ecc"_cause,
        ours && death.exit_known() ? Confidence::certain : Confidence::likely,
        formatted("The GPU's memory had errors it could not correct while {} used it.",
                  who(death)));
    if (said) finding.evidence.push_back({said->source, shortened(said->line)});
    if (entry != nullptr) finding.evidence.push_back({"kernel log", shortened(entry->text)});
    finding.fixes.push_back({"Reset the GPU, so that the bad rows are replaced, and run again.",
                             "sudo nvidia-smi --gpu-reset -i 0"});
    finding.fixes.push_back(
        {"Should rows keep failing, have the card replaced.", "nvidia-smi -q -d ECC,ROW_REMAPPER"});
    return finding;
}

// No end: it made the run slow, and perhaps somebody impatient.
std::optional<Finding> gpu_throttled(const Death& death) {
    constexpr std::uint64_t hot = 0x20U | 0x40U, power = 0x08U | 0x80U;
    for (const GpuEvidence& gpu : death.all.gpus) {
        const std::uint64_t reasons = gpu.clock_event_reasons.value_or(0);
        const bool ours = std::any_of(gpu.processes.begin(), gpu.processes.end(),
                                      [](const auto& holder) { return holder.ours; });
        if ((reasons & (hot | power)) == 0 || !ours) continue;
        const bool by_heat = (reasons & hot) != 0;
        const std::string degrees = gpu.temperature_celsius
                                        ? formatted("; it was at {} °C", *gpu.temperature_celsius)
                                        : std::string();
        Finding finding{"gpu-throttled"_cause,
                        Confidence::likely,  // the last look only, not the whole run
                        formatted("GPU {} ({}) had slowed its clocks because of {}{}.", gpu.index,
                                  gpu.name, by_heat ? "heat" : "power", degrees),
                        {},
                        {},
                        {},
                        {}};
        finding.pid = death.pid;
        finding.evidence = {{"clock event reasons", formatted("0x{:x}", reasons)}};
        finding.fixes.push_back({by_heat ? "See to the cooling, or lower the power limit."
                                         : "Check the power supply and its cables.",
                                 "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER"});
        return finding;
    }
    return std::nullopt;
}

std::optional<Finding> disk_errors(const Death& death) {
    const std::optional<Said> said =
        said_last(death, {"[Errno 5] Input/output error", "Input/output error"});
    if (!said) return std::nullopt;
    const auto entry = std::find_if(
        death.all.kernel_log.begin(), death.all.kernel_log.end(),
        [](const KernelLogEntry& e) { return e.kind == KernelLogEntry::Kind::io_error; });
    const bool both = entry != death.all.kernel_log.end();
    Finding finding = finding_about(
        death, "disk-errors"_cause,
        both && said->final && death.exit_known() ? Confidence::certain : Confidence::likely,
        formatted("{} could not read or write a file: the device answered with an error.",
                  who(death)));
    finding.evidence.push_back({said->source, shortened(said->line)});
    if (both) finding.evidence.push_back({"kernel log", shortened(entry->text)});
    finding.fixes.push_back({"Copy what matters off this disk first, then look at its health.",
                             "sudo smartctl -a /dev/sdX   # dmesg | grep -i 'I/O error' names it"});
    return finding;
}

}  // namespace holdfast::rules
