// HF201, HF202, HF204: the GPU refused an allocation; its figures say whose memory it was.
#include <fmt/format.h>

#include "diagnose/gpu_refusal.h"
#include "diagnose/last_text.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

struct Refused {
    GpuRefusal figures;
    Said said;
};

std::optional<Refused> refused_by_gpu(const Death& death) {
    const TracebackText* traceback = final_exception(death);
    if (traceback == nullptr) return std::nullopt;
    const std::string line = exception_line(*traceback);
    const std::optional<GpuRefusal> figures = parse_gpu_refusal(line);
    if (!figures) return std::nullopt;
    return Refused{*figures, {line, true, source_of(*traceback)}};
}

// What neither is free nor ours.
std::optional<Bytes> held_by_others(const GpuRefusal& figures) {
    if (!figures.capacity || !figures.free || !figures.own) return std::nullopt;
    return *figures.capacity - *figures.free - *figures.own;
}

const GpuEvidence::Holder* largest_stranger(const Death& death, const GpuRefusal& figures) {
    const GpuEvidence::Holder* largest = nullptr;
    for (const GpuEvidence& gpu : death.all.gpus) {
        // CUDA_VISIBLE_DEVICES renumbers them; the size tells them apart where sizes differ.
        if (figures.device && death.all.gpus.size() > 1 && gpu.index != *figures.device) continue;
        for (const GpuEvidence::Holder& holder : gpu.processes)
            if (!holder.ours && holder.used && (!largest || *holder.used > *largest->used))
                largest = &holder;
    }
    return largest;
}

enum class Whose { ours, unused, others };

// Which of the three would have made room for what was asked for.
Whose whose(const GpuRefusal& figures) {
    const std::optional<Bytes> others = held_by_others(figures);
    if (figures.asked && figures.unused && *figures.unused >= *figures.asked) return Whose::unused;
    if (figures.asked && others && others->share_of(*figures.capacity) >= 0.1 &&
        *others + *figures.free >= *figures.asked)
        return Whose::others;
    return Whose::ours;
}

std::string asked_for(const GpuRefusal& figures) {
    return figures.asked ? human(*figures.asked) : std::string("memory");
}

Finding finding_of(const Death& death, const Refused& refused, CauseId cause, Confidence confidence,
                   std::string summary) {
    Finding finding = finding_about(death, cause, confidence, std::move(summary));
    finding.evidence.push_back({refused.said.source, shortened(refused.said.line)});
    const GpuRefusal& figures = refused.figures;
    if (figures.asked) finding.evidence.push_back({"asked for", human(*figures.asked)});
    if (figures.free && figures.capacity)
        finding.evidence.push_back({"free on the GPU", part_of(*figures.free, *figures.capacity)});
    if (figures.own) finding.evidence.push_back({"held by this process", human(*figures.own)});
    return finding;
}

}  // namespace

std::optional<Finding> cuda_oom(const Death& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (!refused || whose(refused->figures) != Whose::ours) return std::nullopt;
    const GpuRefusal& figures = refused->figures;
    // Certain where what it had and what it asked for would not have fitted into an empty GPU.
    const bool decided = figures.capacity && figures.asked && figures.own &&
                         (*figures.own + *figures.asked).share_of(*figures.capacity) >= 0.9;
    Finding finding = finding_of(
        death, *refused, "cuda-oom"_cause, decided ? Confidence::certain : Confidence::likely,
        figures.capacity && figures.own
            ? fmt::format("{} asked for {} more on a GPU of {}, where it held {}.", who(death),
                          asked_for(figures), human(*figures.capacity), human(*figures.own))
            : fmt::format("{} asked for {} on the GPU and was refused.", who(death),
                          asked_for(figures)));
    finding.fixes.push_back(
        {"Take a smaller batch and make up for it by accumulating gradients.",
         "loss = loss / k; loss.backward(); every k-th time: optimizer.step()"});
    finding.fixes.push_back(
        {"Keep activations in bfloat16, or compute them again in the backward pass.",
         "with torch.autocast(\"cuda\", dtype=torch.bfloat16): ...\n"
         "torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)"});
    return finding;
}

std::optional<Finding> cuda_fragmentation(const Death& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (!refused || whose(refused->figures) != Whose::unused) return std::nullopt;
    const GpuRefusal& figures = refused->figures;
    Finding finding = finding_of(
        death, *refused, "cuda-fragmentation"_cause, Confidence::certain,
        fmt::format("{} asked for {} and was refused, while {} of what its allocator had "
                    "reserved lay unused in pieces.",
                    who(death), human(*figures.asked), human(*figures.unused)));
    finding.evidence.push_back({"reserved and unused", human(*figures.unused)});
    finding.fixes.push_back({"Let the allocator grow its segments instead of adding new ones.",
                             "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"});
    return finding;
}

std::optional<Finding> gpu_occupied(const Death& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (!refused || whose(refused->figures) != Whose::others) return std::nullopt;
    const GpuRefusal& figures = refused->figures;
    const Bytes others = *held_by_others(figures);
    const GpuEvidence::Holder* stranger = largest_stranger(death, figures);
    // The driver's own list names them; in a container it may name nobody.
    const bool decided = stranger != nullptr && stranger->used->share_of(others) >= 0.5;
    Finding finding = finding_of(
        death, *refused, "gpu-occupied"_cause, decided ? Confidence::certain : Confidence::likely,
        decided
            ? fmt::format("{} asked for {} on the GPU, but {} (pid {}) held {} of its {}.",
                          who(death), human(*figures.asked),
                          stranger->name.empty() ? "another process" : stranger->name,
                          stranger->pid, human(*stranger->used), human(*figures.capacity))
            : fmt::format("{} asked for {} on the GPU, but others held {} of its {}.", who(death),
                          human(*figures.asked), human(others), human(*figures.capacity)));
    finding.evidence.push_back({"held by others", part_of(others, *figures.capacity)});
    finding.fixes.push_back({"See who it is; end it, wait for it, or take another GPU.",
                             "nvidia-smi   # then: CUDA_VISIBLE_DEVICES=1"});
    return finding;
}

}  // namespace holdfast::rules
