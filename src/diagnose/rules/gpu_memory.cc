// HF201, HF202, HF204, HF205: the GPU refused an allocation; its figures say whose memory it was.
#include "base/format.h"
#include "diagnose/exception_text.h"
#include "diagnose/gpu_refusal.h"
#include "diagnose/last_text.h"
#include "diagnose/rules/rules.h"
#include "diagnose/tensor_refusal.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

struct Refused {
    GpuRefusal figures;
    Said said;
};

// Of an allocator; a ValueError that speaks of the same is somebody's own.
bool from_an_allocator(std::string_view type) {
    for (const std::string_view known :
         {"OutOfMemoryError", "RuntimeError", "AcceleratorError", "ResourceExhaustedError",
          "InternalError", "MemoryError", "CUDARuntimeError", "CudaAPIError"})
        if (type.ends_with(known)) return true;
    return false;
}

std::optional<Refused> refused_by_gpu(const Death& death) {
    const TracebackText* traceback = final_exception(death);
    if (traceback == nullptr) return std::nullopt;
    if (const std::optional<TensorRefusal> tensor = tensor_refused(death); tensor && tensor->on_gpu)
        return Refused{gpu_refusal_of(*tensor, death.all.stderr_tail),
                       {tensor->line, true, source_of(*traceback)}};
    const std::string line = exception_line(*traceback);
    const std::optional<GpuRefusal> figures = parse_gpu_refusal(line);
    if (!figures || (!figures->asked && !from_an_allocator(traceback->type))) return std::nullopt;
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

// Of this process, but not of the framework that was refused: another one took it at its start.
std::optional<Bytes> held_beside(const GpuRefusal& figures) {
    if (!figures.own || !figures.allocated || !figures.unused) return std::nullopt;
    return *figures.own - *figures.allocated - *figures.unused;
}

enum class Whose { ours, beside, unused, others };

// Which of the three would have made room for what was asked for.
Whose whose(const GpuRefusal& figures) {
    const std::optional<Bytes> others = held_by_others(figures);
    // A few per cent always lie unused; it is pieces only where they are a good part of all.
    if (figures.asked && figures.unused && *figures.unused >= *figures.asked && figures.allocated &&
        figures.unused->share_of(*figures.allocated + *figures.unused) >= 0.1)
        return Whose::unused;
    const std::optional<Bytes> beside = held_beside(figures);
    if (figures.capacity && beside && beside->share_of(*figures.capacity) >= 0.3)
        return Whose::beside;
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

// In the spelling of the framework that took it; of both where that is not known.
void add_growth_fixes(Finding& finding, const Death& death) {
    const bool jax = uses(death, "jax") || uses(death, "jaxlib");
    if (!jax || uses(death, "tensorflow"))
        finding.fixes.push_back(
            {"Let TensorFlow take memory as it needs it, instead of nearly all at its start.",
             "for g in tf.config.list_physical_devices(\"GPU\"): "
             "tf.config.experimental.set_memory_growth(g, True)\n"
             "# without touching the program: TF_FORCE_GPU_ALLOW_GROWTH=true"});
    if (jax || !uses(death, "tensorflow"))
        finding.fixes.push_back(
            {"JAX takes three quarters at its start: let it grow, or give it a smaller share.",
             "XLA_PYTHON_CLIENT_PREALLOCATE=false   # or XLA_PYTHON_CLIENT_MEM_FRACTION=.40"});
}

void add_smaller_fixes(Finding& finding, GpuFramework framework) {
    switch (framework) {
    case GpuFramework::torch:
        finding.fixes.push_back(
            {"Take a smaller batch and make up for it by accumulating gradients.",
             "loss = loss / k; loss.backward(); every k-th time: optimizer.step()"});
        finding.fixes.push_back(
            {"Keep activations in bfloat16, or compute them again in the backward pass.",
             "with torch.autocast(\"cuda\", dtype=torch.bfloat16): ...\n"
             "torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)"});
        return;
    case GpuFramework::tensorflow:
        finding.fixes.push_back({"Take a smaller batch.", "model.fit(..., batch_size=16)"});
        finding.fixes.push_back({"Keep activations in half precision.",
                                 "tf.keras.mixed_precision.set_global_policy(\"mixed_float16\")"});
        return;
    case GpuFramework::jax:
        finding.fixes.push_back(
            {"Take a smaller batch, or compute activations again in the backward pass.",
             "loss = jax.checkpoint(loss)"});
        finding.fixes.push_back(
            {"Give the arguments' memory to the results of the step.",
             "@partial(jax.jit, donate_argnums=(0, 1))   # parameters, optimizer state"});
        return;
    }
}

Fix fix_for_pieces(GpuFramework framework) {
    switch (framework) {
    case GpuFramework::torch: break;
    case GpuFramework::tensorflow:
        return {"Let CUDA's own pool join the pieces (before TensorFlow is imported).",
                "TF_GPU_ALLOCATOR=cuda_malloc_async"};
    case GpuFramework::jax:
        return {"Let CUDA's own pool join the pieces, or free at once what is let go (slower).",
                "TF_GPU_ALLOCATOR=cuda_malloc_async   # or XLA_PYTHON_CLIENT_ALLOCATOR=platform"};
    }
    return {"Let the allocator grow its segments instead of adding new ones.",
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"};
}

}  // namespace

std::optional<Finding> cuda_oom(const Death& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (!refused || whose(refused->figures) != Whose::ours) return std::nullopt;
    const GpuRefusal& figures = refused->figures;
    // Certain where what it had and what it asked for would not have fitted into an empty GPU.
    const std::optional<Bytes> room = figures.allowed ? figures.allowed : figures.capacity;
    const bool decided = room && figures.asked && figures.own &&
                         (*figures.own + *figures.asked).share_of(*room) >= 0.9;
    Finding finding = finding_of(
        death, *refused, "cuda-oom"_cause, decided ? Confidence::certain : Confidence::likely,
        figures.capacity && figures.own
            ? formatted("{} asked for {} more on a GPU of {}, where it held {}.", who(death),
                        asked_for(figures), human(*figures.capacity), human(*figures.own))
            : formatted("{} asked for {} on the GPU and was refused.", who(death),
                        asked_for(figures)));
    add_smaller_fixes(finding, figures.framework);
    return finding;
}

std::optional<Finding> cuda_fragmentation(const Death& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (!refused || whose(refused->figures) != Whose::unused) return std::nullopt;
    const GpuRefusal& figures = refused->figures;
    Finding finding =
        finding_of(death, *refused, "cuda-fragmentation"_cause, Confidence::certain,
                   formatted("{} asked for {} and was refused, while {} of what its allocator had "
                             "reserved lay unused in pieces.",
                             who(death), human(*figures.asked), human(*figures.unused)));
    finding.evidence.push_back({"reserved and unused", human(*figures.unused)});
    if (figures.largest_free)
        finding.evidence.push_back({"largest free piece", human(*figures.largest_free)});
    finding.fixes.push_back(fix_for_pieces(figures.framework));
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
        decided ? formatted("{} asked for {} on the GPU, but {} (pid {}) held {} of its {}.",
                            who(death), human(*figures.asked),
                            stranger->name.empty() ? "another process" : stranger->name,
                            stranger->pid, human(*stranger->used), human(*figures.capacity))
                : formatted("{} asked for {} on the GPU, but others held {} of its {}.", who(death),
                            human(*figures.asked), human(others), human(*figures.capacity)));
    finding.evidence.push_back({"held by others", part_of(others, *figures.capacity)});
    finding.fixes.push_back({"See who it is; end it, wait for it, or take another GPU.",
                             "nvidia-smi   # then: CUDA_VISIBLE_DEVICES=1"});
    return finding;
}

std::optional<Finding> gpu_preallocated(const Death& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (refused && whose(refused->figures) == Whose::beside) {
        const GpuRefusal& figures = refused->figures;
        Finding finding = finding_of(
            death, *refused, "gpu-preallocated"_cause, Confidence::certain,
            formatted("{} asked for {} on the GPU, but another part of the same process had taken "
                      "{} of its {}.",
                      who(death), asked_for(figures), human(*held_beside(figures)),
                      human(*figures.capacity)));
        finding.evidence.push_back({"allocated by PyTorch", human(*figures.allocated)});
        finding.evidence.push_back({"held beside it", human(*held_beside(figures))});
        add_growth_fixes(finding, death);
        return finding;
    }
    // TensorFlow's own libraries find nothing left for themselves.
    const std::optional<Said> said =
        said_last(death, {"CUDNN_STATUS_ALLOC_FAILED", "Failed to get convolution algorithm",
                          "CUBLAS_STATUS_ALLOC_FAILED", "failed to create cublas handle",
                          "Could not create cudnn handle"});
    if (!said) return std::nullopt;
    for (const GpuEvidence& gpu : death.all.gpus)
        for (const GpuEvidence::Holder& holder : gpu.processes) {
            if (!holder.ours || !holder.used || !gpu.total ||
                holder.used->share_of(*gpu.total) < 0.7)
                continue;
            Finding finding = finding_about(
                death, "gpu-preallocated"_cause, Confidence::likely,
                formatted("{} had taken {} of the GPU's {} in advance, and a library of its own "
                          "found nothing left.",
                          who(death), human(*holder.used), human(*gpu.total)));
            finding.evidence.push_back({said->source, shortened(said->line)});
            finding.evidence.push_back({"NVML", part_of(*holder.used, *gpu.total)});
            add_growth_fixes(finding, death);
            return finding;
        }
    return std::nullopt;
}

}  // namespace holdfast::rules
