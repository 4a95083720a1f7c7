// What the GPU reports about itself: errors, heat, links, modes, and which processes use its
// memory.
#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "check/rules/rules.h"

namespace holdfast::check::rules {
namespace {

// "0-3,8" is 0, 1, 2, 3, 8; nothing if a word is not a range.
std::set<int> processors_in(std::string_view text) {
    std::set<int> all;
    while (const auto piece = next_piece(text, ',')) {
        std::string_view rest = *piece;
        const auto first = parse_number<int>(next_piece(rest, '-').value_or(""));
        const auto last = rest.empty() ? first : parse_number<int>(rest);
        if (!first || !last || *first < 0 || *last < *first || *last > 100'000) return {};
        for (int processor = *first; processor <= *last; ++processor) all.insert(processor);
    }
    return all;
}

constexpr std::uint64_t hardware_slowdown = 0x8 | 0x40 | 0x80;
constexpr std::uint64_t software_thermal = 0x20;

std::string gpu_name(const GpuFacts& gpu) {
    return formatted("GPU {} ({})", gpu.reading.index, gpu.reading.name);
}

// Calls `look` for every GPU, or says why there is none.
template <class Look>
void for_each_gpu(const Environment& environment, CheckResult& judgement, Look look) {
    if (environment.nvidia.gpus.gpus.empty())
        return judgement.impossible(environment.nvidia.no_answers_because);
    for (const GpuFacts& gpu : environment.nvidia.gpus.gpus) look(gpu);
}

}  // namespace

void gpu_lost(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        if (!gpu.reading.lost) return;
        judgement.find(Severity::blocks, "gpu-lost"_cause,
                       formatted("{} has fallen off the bus and no longer answers.", gpu_name(gpu)),
                       {{"NVML", "GPU is lost (error 15)"}},
                       {{"Reset it, or restart the machine; if it happens again, check the card's "
                         "power, seat and cooling.",
                         "sudo reboot"}});
    });
}

void gpu_fabric(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        const auto state = gpu.health.fabric_state;
        if (!state || *state == 0) return;  // there is no NVSwitch
        const bool ready = *state == 3 && gpu.health.fabric_status.value_or(0) == 0;
        if (ready) return;
        judgement.find(
            Severity::blocks, "gpu-setup"_cause,
            formatted("{} waits for its NVSwitch fabric (state {}, status {}): CUDA will not start "
                      "(error 802).",
                      gpu_name(gpu), *state, gpu.health.fabric_status.value_or(0)),
            {{"NVML", formatted("fabric state {}", *state)}},
            {{"Start the fabric manager; its version must be the driver's.",
              "sudo systemctl start nvidia-fabricmanager"}});
    });
}

void gpu_mig(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        if (gpu.health.mig != 1 || gpu.health.mig_devices != 0) return;
        judgement.find(Severity::blocks, "gpu-setup"_cause,
                       formatted("{} is in MIG mode and has no instance: CUDA finds no device on "
                                 "it.",
                                 gpu_name(gpu)),
                       {{"NVML", "MIG enabled, 0 instances"}},
                       {{"Make an instance, or switch MIG off.",
                         formatted("sudo nvidia-smi -i {} -mig 0", gpu.reading.index)}});
    });
}

void gpu_compute_mode(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        const auto mode = gpu.health.compute_mode;
        const bool taken = mode == 3 && !gpu.reading.processes.empty();
        if (mode != 2 && !taken) return;
        judgement.find(
            Severity::blocks, mode == 2 ? "gpu-setup"_cause : "gpu-occupied"_cause,
            mode == 2
                ? formatted("{} is in compute mode \"prohibited\": no program may use it.",
                            gpu_name(gpu))
                : formatted("{} allows one process at a time, and one is using it.", gpu_name(gpu)),
            {{"NVML",
              formatted("compute mode {}, {} processes", *mode, gpu.reading.processes.size())}},
            {{"Allow several processes, or wait for the other one.",
              formatted("sudo nvidia-smi -i {} -c DEFAULT", gpu.reading.index)}});
    });
}

void gpu_persistence(const Environment& environment, CheckResult& judgement) {
    if (environment.nvidia.wsl) return judgement.impossible("WSL keeps the driver on its own");
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        if (gpu.health.persistence != 0) return;
        judgement.find(Severity::note, "gpu-setup"_cause,
                       formatted("{} has persistence mode off: the first CUDA call of a program "
                                 "waits a second or more for the driver.",
                                 gpu_name(gpu)),
                       {{"NVML", "persistence mode 0"}},
                       {{"Keep the driver loaded.", "sudo nvidia-smi -pm 1"}});
    });
}

void gpu_ecc(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        if (gpu.reading.uncorrected_ecc.value_or(0) == 0) return;
        judgement.find(
            Severity::will_hurt, "gpu-ecc"_cause,
            formatted("{} has had {} uncorrectable memory errors since its driver was "
                      "loaded.",
                      gpu_name(gpu), *gpu.reading.uncorrected_ecc),
            {{"NVML", formatted("uncorrected ECC errors {}", *gpu.reading.uncorrected_ecc)}},
            {{"Reset the GPU; if the errors return, have the card replaced.",
              formatted("sudo nvidia-smi -i {} --gpu-reset", gpu.reading.index)}});
    });
}

void gpu_remapped_rows(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        const bool failed = gpu.health.remap_failed.value_or(0) != 0;
        const bool pending =
            gpu.health.remap_pending.value_or(0) != 0 || gpu.health.pages_pending.value_or(0) != 0;
        if (!failed && !pending) return;
        judgement.find(
            Severity::will_hurt, "gpu-ecc"_cause,
            failed ? formatted("{} could not replace a damaged row of its memory.", gpu_name(gpu))
                   : formatted("{} has a damaged row of memory that is replaced at its next reset "
                               "only.",
                               gpu_name(gpu)),
            {{"NVML",
              formatted("remapping failed {}, pending {}", failed ? 1 : 0, pending ? 1 : 0)}},
            {{failed ? "Have the card replaced." : "Reset the GPU while nobody uses it.",
              failed ? "" : formatted("sudo nvidia-smi -i {} --gpu-reset", gpu.reading.index)}});
    });
}

void gpu_recovery(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        const auto action = gpu.health.recovery_action.value_or(0);
        if (action == 0 || action > 4) return;
        const char* what = action == 1   ? "a reset of the GPU"
                           : action == 2 ? "a restart of the machine"
                           : action == 3 ? "its peers to stop using it"
                                         : "its users to end and a reset";
        judgement.find(
            Severity::will_hurt, "gpu-lost"_cause,
            formatted("The driver asks for {} before {} is used again.", what, gpu_name(gpu)),
            {{"NVML", formatted("recovery action {}", action)}},
            {{"Do what it asks for.",
              action == 2 ? "sudo reboot"
                          : formatted("sudo nvidia-smi -i {} --gpu-reset", gpu.reading.index)}});
    });
}

void gpu_xids(const Environment& environment, CheckResult& judgement) {
    if (!environment.nvidia.present()) return judgement.impossible("no NVIDIA GPU or driver");
    if (!environment.log) return judgement.impossible("the kernel log is not readable");
    for (const std::string& line : *environment.log) {
        std::string_view rest = line;
        if (next_word(rest) != "xid") continue;
        const auto number = parse_number<int>(next_word(rest).value_or(""));
        const std::string_view device = trim(rest);
        if (!number) continue;
        const bool lost = *number == 79 || *number == 119 || *number == 120;
        const bool memory = *number == 48 || *number == 64 || *number == 95;
        // 13, 31, 43 and 45 are mistakes of a program; 63 and 94 were handled.
        if (!lost && !memory) continue;
        return judgement.find(
            Severity::will_hurt, lost ? "gpu-lost"_cause : "gpu-ecc"_cause,
            formatted("Since the machine started the driver reported Xid {} of {}: {}.", *number,
                      device,
                      lost ? "the GPU or its firmware stopped answering"
                           : "uncorrectable errors in the GPU's memory"),
            {{"kernel log", formatted("Xid ({}): {}", device, *number)}},
            {{"Reset the GPU or restart the machine before a long run.", "sudo reboot"}});
    }
}

void gpu_clocks(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        const std::uint64_t reasons = gpu.reading.clock_event_reasons.value_or(0);
        const bool hard = (reasons & hardware_slowdown) != 0;
        if (!hard && (reasons & software_thermal) == 0) return;
        judgement.find(
            Severity::will_hurt, "gpu-throttled"_cause,
            formatted("{} is being slowed down right now by {} (clock event reasons "
                      "{:#x}){}.",
                      gpu_name(gpu), hard ? "its hardware: heat or power" : "heat", reasons,
                      gpu.reading.temperature_celsius
                          ? formatted(", at {} °C", *gpu.reading.temperature_celsius)
                          : std::string()),
            {{"NVML", formatted("clock event reasons {:#x}", reasons)}},
            {{"Look at fans, airflow and power of the card.",
              formatted("nvidia-smi -i {} -q -d PERFORMANCE,TEMPERATURE,POWER",
                        gpu.reading.index)}});
    });
}

void gpu_temperature(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        const auto now = gpu.reading.temperature_celsius;
        const auto slow = gpu.health.slowdown_celsius;
        constexpr int margin = 5;
        if (!now || !slow || *slow < 50 || *now < *slow - margin) return;
        judgement.find(Severity::will_hurt, "gpu-throttled"_cause,
                       formatted("{} is at {} °C before any work; it slows itself down at {} °C.",
                                 gpu_name(gpu), *now, *slow),
                       {{"NVML", formatted("{} °C of {} °C", *now, *slow)}},
                       {{"Find out what heats it, and cool it.",
                         formatted("nvidia-smi -i {}", gpu.reading.index)}});
    });
}

void gpu_link(const Environment& environment, CheckResult& judgement) {
    if (environment.nvidia.wsl) return judgement.impossible("WSL does not show the GPU's link");
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        const auto width = gpu.health.link_width;
        const auto most = gpu.health.link_width_most;
        // An idle GPU lowers the link's generation, but not its width.
        if (width && most && *width > 0 && *width < *most)
            judgement.find(
                *width * 4 <= *most ? Severity::will_hurt : Severity::note, "gpu-setup"_cause,
                formatted("{} is connected by {} of {} PCIe lanes: copies to it take {} times as "
                          "long.",
                          gpu_name(gpu), *width, *most, *most / *width),
                {{"NVML", formatted("link width {} of {}", *width, *most)}},
                {{"Reseat the card, or move it to a slot with all lanes.",
                  formatted("nvidia-smi -i {} -q -d PCIE", gpu.reading.index)}});
        if (gpu.health.link_replays.value_or(0) > 1000)
            judgement.find(Severity::note, "gpu-setup"_cause,
                           formatted("{} had to send {} packets over PCIe again.", gpu_name(gpu),
                                     *gpu.health.link_replays),
                           {{"NVML", formatted("PCIe replays {}", *gpu.health.link_replays)}},
                           {{"Reseat the card and its riser.", ""}});
    });
}

void gpu_numa(const Environment& environment, CheckResult& judgement) {
    const auto mine = processors_in(environment.allowed_processors);
    if (!environment.nvidia.present())
        return judgement.impossible(environment.nvidia.no_answers_because);
    if (environment.nvidia.slots.empty() || mine.empty())
        return judgement.impossible("where the GPUs are plugged in is not known");
    for (const GpuSlot& slot : environment.nvidia.slots) {
        const auto near = processors_in(slot.processors);
        const bool meet = std::any_of(near.begin(), near.end(),
                                      [&](int processor) { return mine.contains(processor); });
        if (near.empty() || meet) continue;
        judgement.find(
            Severity::note, "gpu-setup"_cause,
            formatted("The GPU at {} is attached to the processors {}, but this process may use "
                      "only {}: every copy crosses between the sockets.",
                      slot.bus, slot.processors, environment.allowed_processors),
            {{slot.file, slot.processors},
             {"/proc/self/status", "Cpus_allowed_list " + environment.allowed_processors}},
            {{"Ask for processors of the GPU's own socket.",
              formatted("taskset -c {} python train.py", slot.processors)}});
    }
}

void gpu_memory_taken(const Environment& environment, CheckResult& judgement) {
    for_each_gpu(environment, judgement, [&](const GpuFacts& gpu) {
        const auto total = gpu.reading.total;
        const auto used = gpu.reading.used;
        if (!total || !used || used->share_of(*total) < 0.25) return;
        const bool much = used->share_of(*total) >= 0.5;
        judgement.find(
            much ? Severity::will_hurt : Severity::note, "gpu-occupied"_cause,
            formatted("Other processes hold {} of the {} of {}{}.", human(*used), human(*total),
                      gpu_name(gpu),
                      gpu.reading.processes.empty()
                          ? std::string()
                          : formatted(", {} processes", gpu.reading.processes.size())),
            {{"NVML", formatted("{} used, {} free", human(*used), human(*total - *used))}},
            {{"See who it is; take another GPU, or a smaller batch.",
              "nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv"}});
    });
}

void gpu_preallocation(const Environment& environment, CheckResult& judgement) {
    if (!environment.python || !environment.python->unknown_because.empty())
        return judgement.impossible("the Python environment was not read");
    const NvidiaDriver& nvidia = environment.nvidia;
    if (!nvidia.device_nodes && nvidia.gpus.gpus.empty())
        return judgement.impossible("no NVIDIA GPU or driver");
    const Framework* tensorflow = environment.python->framework("tensorflow");
    if (tensorflow == nullptr || !tensorflow->cuda || tensorflow->cpu_only) return;
    if (!environment.wanted.empty() && environment.wanted != "tensorflow") return;
    if (environment.variable("TF_FORCE_GPU_ALLOW_GROWTH") != nullptr) return;
    judgement.find(Severity::note, "gpu-preallocated"_cause,
                   formatted("TensorFlow {} takes the whole GPU at its first use: a second "
                             "notebook or torch beside it finds no memory.",
                             tensorflow->version),
                   {{"TF_FORCE_GPU_ALLOW_GROWTH", "not set"},
                    {tensorflow->cuda_file, "CUDA " + *tensorflow->cuda}},
                   {{"Let it grow instead.", "export TF_FORCE_GPU_ALLOW_GROWTH=true"}});
}

}  // namespace holdfast::check::rules
