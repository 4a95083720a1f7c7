// Allocations that TensorFlow or JAX could not get: their messages, what their allocator (BFC: best
// fit with coalescing) logged, and how much of the GPU they were told to take.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "diagnose/death/death.h"

namespace holdfast {

struct TensorRefusal {
    enum class By { tensorflow, jax };
    By by = By::tensorflow;
    // "device:GPU:0", "device:CPU:0", or neither: JAX does not say.
    bool on_gpu = false, on_cpu = false;
    std::optional<int> device;
    std::optional<Bytes> asked;
    std::string line;  // the line to quote
};

// "OOM when allocating tensor with shape[64,256,112,112] and type float on ...device:GPU:0 by
// allocator GPU_0_bfc", "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592
// bytes." Nothing for other exceptions.
std::optional<TensorRefusal> parse_tensor_refusal(std::string_view type, std::string_view message);

// The last report of the allocator in a log. TensorFlow up to 2.18 writes it in bytes, newer ones
// and JAX in rounded units ("6.51GiB").
struct BfcReport {
    std::optional<Bytes> asked;         // of the allocation that failed
    std::optional<Bytes> limit;         // what it may take of the GPU
    std::optional<Bytes> in_use, peak;  // held by tensors
    std::optional<Bytes> pool;          // taken from the GPU
    // The largest free piece that the log lists. The log's own LargestFreeBlock is always 0.
    std::optional<Bytes> largest_free;
};

std::optional<BfcReport> parse_bfc_report(std::string_view log);

// The refusal that ended a program. Decides `on_gpu` by the message, else by the allocator's log,
// else by whether the program used a GPU at all.
std::optional<TensorRefusal> tensor_refused(const Death& death);

// How much of a GPU TensorFlow and JAX were told to take, by the options of the very process that
// died.
struct TensorflowOptions {
    std::string force_growth;    // TF_FORCE_GPU_ALLOW_GROWTH
    bool growth_called = false;  // tf.config.experimental.set_memory_growth
    // As TensorFlow reads it: the variable wins over the call, and any other value is ignored.
    bool grows() const {
        return force_growth == "true" || (growth_called && force_growth != "false");
    }
};

struct JaxOptions {
    std::string preallocate;         // XLA_PYTHON_CLIENT_PREALLOCATE
    std::string allocator;           // XLA_PYTHON_CLIENT_ALLOCATOR
    std::optional<double> fraction;  // XLA_CLIENT_MEM_FRACTION, or the names of older versions:
    std::string fraction_name;
    bool grows() const {
        return preallocate == "false" || preallocate == "False" || preallocate == "0" ||
               allocator == "platform";
    }
};

struct GpuOptions {
    std::optional<TensorflowOptions> tensorflow;  // it was loaded
    std::optional<JaxOptions> jax;
    std::string allocator;  // TF_GPU_ALLOCATOR, which JAX obeys too
    std::string set;        // all that were set, to quote; empty: none
    bool by_cuda_pool() const { return allocator == "cuda_malloc_async"; }
};

// Empty if the agent was not loaded, or if the end was not an exception.
GpuOptions gpu_options(const Death& death);

}  // namespace holdfast
