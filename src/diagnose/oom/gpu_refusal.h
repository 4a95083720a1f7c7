// A refused GPU allocation, read from the framework's message: who asked for how much, and who held
// the rest.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace holdfast {

enum class GpuFramework { torch, tensorflow, jax };

struct GpuRefusal {
    GpuFramework framework = GpuFramework::torch;
    std::optional<int> device;
    std::optional<Bytes> asked;
    std::optional<Bytes> capacity;
    std::optional<Bytes> free;
    std::optional<Bytes> allowed;       // how much of it the program may use, if it set a limit
    std::optional<Bytes> own;           // of this process, by all its users
    std::optional<Bytes> allocated;     // of that, by tensors
    std::optional<Bytes> unused;        // reserved by the framework's allocator, and not allocated
    std::optional<Bytes> largest_free;  // of the unused pieces
};

// Parses "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of ..."
// (PyTorch since 2.1), and the older "(GPU 0; 15.90 GiB total capacity; ...)". Nothing for any
// other text.
std::optional<GpuRefusal> parse_gpu_refusal(std::string_view message);

// The same for TensorFlow or JAX, from the exception and from what its allocator logged before.
struct TensorRefusal;
GpuRefusal gpu_refusal_of(const TensorRefusal& refusal, std::string_view log);

}  // namespace holdfast
