// How much of a GPU TensorFlow and JAX were told to take, by the options of the very process that
// died.
#pragma once

#include <optional>
#include <string>

#include "diagnose/death/death.h"

namespace holdfast {

struct TensorflowOptions {
    std::string force_growth;    // TF_FORCE_GPU_ALLOW_GROWTH
    bool growth_called = false;  // tf.config.experimental.set_memory_growth
    // As TensorFlow reads it: the variable wins, and any other value is passed over.
    bool grows() const {
        return force_growth == "true" || (growth_called && force_growth != "false");
    }
};

struct JaxOptions {
    std::string preallocate;         // XLA_PYTHON_CLIENT_PREALLOCATE
    std::string allocator;           // XLA_PYTHON_CLIENT_ALLOCATOR
    std::optional<double> fraction;  // XLA_CLIENT_MEM_FRACTION, or as older versions spell it:
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

// Nothing is known if the agent was not inside, or if the end was not an exception.
GpuOptions gpu_options(const Death& death);

}  // namespace holdfast
