// HF201, HF202, HF204, HF205: the GPU refused an allocation; its figures say whose memory it was.
#include "diagnose/facts/gpu.h"
#include "diagnose/oom/gpu_refusal.h"
#include "diagnose/oom/tensor_refusal.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/exception_text.h"
#include "diagnose/text/last_text.h"

namespace holdfast::rules {
namespace {

using Refused = facts::GpuRefused;

// The exceptions of an allocator. A ValueError with the same text comes from the program itself.
bool from_an_allocator(std::string_view type) {
    for (const std::string_view known :
         {"OutOfMemoryError", "RuntimeError", "AcceleratorError", "ResourceExhaustedError",
          "InternalError", "MemoryError", "CUDARuntimeError", "CudaAPIError"})
        if (type.ends_with(known)) return true;
    return false;
}

std::optional<Refused> refused_by_gpu(const Autopsy& death) {
    const TracebackText* traceback = death.exception;
    if (traceback == nullptr) return std::nullopt;
    if (const std::optional<TensorRefusal> tensor = tensor_refused(death); tensor && tensor->on_gpu)
        return Refused{gpu_refusal_of(*tensor, death.all.stderr_tail),
                       {tensor->line, true, source_of(*traceback)}};
    const std::string line = exception_line(*traceback);
    const std::optional<GpuRefusal> figures = parse_gpu_refusal(line);
    if (!figures || (!figures->asked && !from_an_allocator(traceback->type))) return std::nullopt;
    return Refused{*figures, {line, true, source_of(*traceback)}};
}

// Memory that is neither free nor held by this process.
std::optional<Bytes> held_by_others(const GpuRefusal& figures) {
    if (!figures.capacity || !figures.free || !figures.own) return std::nullopt;
    return *figures.capacity - *figures.free - *figures.own;
}

const GpuEvidence::Holder* largest_stranger(const Autopsy& death, const GpuRefusal& figures) {
    const GpuEvidence::Holder* largest = nullptr;
    for (const GpuEvidence& gpu : death.all.gpus) {
        // CUDA_VISIBLE_DEVICES may renumber the GPUs.
        if (figures.device && death.all.gpus.size() > 1 && gpu.index != *figures.device) continue;
        for (const GpuEvidence::Holder& holder : gpu.processes)
            if (!holder.ours && holder.used && (!largest || *holder.used > *largest->used))
                largest = &holder;
    }
    return largest;
}

// Held by this process, but not by the framework that was refused: another framework took it at its
// start.
std::optional<Bytes> held_beside(const GpuRefusal& figures) {
    if (!figures.own || !figures.allocated || !figures.unused) return std::nullopt;
    return *figures.own - *figures.allocated - *figures.unused;
}

enum class Whose { ours, beside, unused, others };

// Whose memory would have made room for the request.
Whose whose(const GpuRefusal& figures) {
    const std::optional<Bytes> others = held_by_others(figures);
    // A few per cent always lie unused. Fragmentation is the reason only if a good part is unused.
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

}  // namespace

std::optional<Finding> cuda_oom(const Autopsy& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (!refused || whose(refused->figures) != Whose::ours) return std::nullopt;
    const GpuRefusal& figures = refused->figures;
    // Certain where what it had and what it asked for would not have fitted into an empty GPU.
    const std::optional<Bytes> room = figures.allowed ? figures.allowed : figures.capacity;
    const bool decided = room && figures.asked && figures.own &&
                         (*figures.own + *figures.asked).share_of(*room) >= 0.9;
    return finding_about(death, "cuda-oom"_cause,
                         decided ? Confidence::certain : Confidence::likely,
                         facts::CudaOom{*refused});
}

std::optional<Finding> cuda_fragmentation(const Autopsy& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (!refused || whose(refused->figures) != Whose::unused) return std::nullopt;
    return finding_about(death, "cuda-fragmentation"_cause, Confidence::certain,
                         facts::CudaFragmentation{*refused});
}

std::optional<Finding> gpu_occupied(const Autopsy& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (!refused || whose(refused->figures) != Whose::others) return std::nullopt;
    const GpuRefusal& figures = refused->figures;
    const Bytes others = *held_by_others(figures);
    const GpuEvidence::Holder* stranger = largest_stranger(death, figures);
    // The driver's own list names the holders; in a container it may be empty.
    const bool decided = stranger != nullptr && stranger->used->share_of(others) >= 0.5;
    return finding_about(death, "gpu-occupied"_cause,
                         decided ? Confidence::certain : Confidence::likely,
                         facts::GpuOccupied{*refused, others, decided ? stranger : nullptr});
}

std::optional<Finding> gpu_preallocated(const Autopsy& death) {
    const std::optional<Refused> refused = refused_by_gpu(death);
    if (refused && whose(refused->figures) == Whose::beside)
        return finding_about(death, "gpu-preallocated"_cause, Confidence::certain,
                             facts::GpuTakenBeside{*refused, *held_beside(refused->figures)});
    // TensorFlow's own libraries found no memory left.
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
            return finding_about(death, "gpu-preallocated"_cause, Confidence::likely,
                                 facts::GpuTakenInAdvance{*said, &gpu, &holder});
        }
    return std::nullopt;
}

}  // namespace holdfast::rules
