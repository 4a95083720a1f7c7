// One convolution call, as cuDNN receives it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "fit/capture/capture_format.h"

namespace holdfast::fit {

struct ConvCall {
    enum class Direction : std::uint8_t { forward, input_gradient, weight_gradient };

    Direction direction = Direction::forward;
    Dtype dtype = Dtype::float32;
    bool channels_last = false;
    bool transposed = false;
    std::uint64_t groups = 1;
    std::size_t dims = 2;
    std::uint64_t batch = 0, inputs = 0, outputs = 0;  // channels
    std::array<std::uint64_t, 3> in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1};
    std::array<std::uint64_t, 3> stride{1, 1, 1}, padding{}, dilation{1, 1, 1};

    // In the order of Fact::conv.
    static std::optional<ConvCall> from(std::span<const std::int64_t> values);

    // Bytes of the input, the weights and the output.
    std::uint64_t input_bytes() const;
    std::uint64_t weight_bytes() const;
    std::uint64_t output_bytes() const;
    bool depthwise() const { return groups > 1 && groups == inputs; }
};

}  // namespace holdfast::fit
