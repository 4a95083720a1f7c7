// A failed assertion on the GPU, as the driver prints it, and what its condition means.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/confidence.h"

namespace holdfast {

// "/pytorch/.../Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread:
// [7,0,0] Assertion `t >= 0 && t < n_classes` failed."
struct DeviceAssertion {
    std::string file;  // without its folders
    std::string function;
    std::string condition;
};

// Every GPU thread that fails prints one. Nothing if two functions printed: no kernel starts after
// a failed one, so they come from several processes.
std::optional<DeviceAssertion> device_assertion(std::string_view stderr_tail);

// Whether a kernel of this short name (agent/launch/kernel_name.h) may have printed the assertion.
bool fits_kernel(const DeviceAssertion& assertion, std::string_view kernel);

// Whether a kernel of this name is known to check its input.
bool kernel_asserts(std::string_view kernel);

// What was out of range.
struct OutOfRange {
    enum class What { label, index, probability };
    What what = What::index;
    Confidence confidence = Confidence::likely;
};
std::optional<OutOfRange> out_of_range(const DeviceAssertion& assertion);

}  // namespace holdfast
