// The short name of a GPU kernel, as an assertion on the GPU prints it.
#pragma once

#include <cstddef>

#include "agent/base/text.h"

namespace holdfast::agent {

inline constexpr std::size_t longest_kernel_name = 96;

// "_ZN2at6native38nll_loss_forward_reduce_cuda_kernel_2dIffflEEvPT_..." is
// "nll_loss_forward_reduce_cuda_kernel_2d". A kernel that runs a lambda is named with the function
// that contains the lambda: "vectorized_elementwise_kernel(bce_kernel)". A name that is not mangled
// is returned as it is; nothing for a name that is not understood.
std::size_t short_kernel_name(Text mangled, char (&out)[longest_kernel_name]);

}  // namespace holdfast::agent
