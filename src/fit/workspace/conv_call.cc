#include "fit/workspace/conv_call.h"

#include <algorithm>

namespace holdfast::fit {

std::optional<ConvCall> ConvCall::from(std::span<const std::int64_t> values) {
    constexpr std::size_t head = 9;
    constexpr std::int64_t most = std::int64_t{1} << 31U;
    if (values.size() < head) return std::nullopt;
    if (std::ranges::any_of(values, [](std::int64_t v) { return v < 0 || v > most; }))
        return std::nullopt;
    if (values[0] > 2 || values[1] > 3 || values[4] < 1 || values[5] < 1 || values[5] > 3)
        return std::nullopt;
    const auto dims = static_cast<std::size_t>(values[5]);
    if (values.size() != head + 6 * dims) return std::nullopt;
    ConvCall call;
    call.direction = static_cast<Direction>(values[0]);
    call.dtype = static_cast<Dtype>(values[1]);
    call.channels_last = values[2] != 0;
    call.transposed = values[3] != 0;
    call.groups = static_cast<std::uint64_t>(values[4]);
    call.dims = dims;
    call.batch = static_cast<std::uint64_t>(values[6]);
    call.inputs = static_cast<std::uint64_t>(values[7]);
    call.outputs = static_cast<std::uint64_t>(values[8]);
    std::size_t next = head;
    for (auto* list :
         {&call.in, &call.out, &call.kernel, &call.stride, &call.padding, &call.dilation})
        for (std::size_t i = 0; i < dims; ++i)
            (*list)[i] = static_cast<std::uint64_t>(values[next++]);
    return call;
}

namespace {

// Saturates: the sizes come from a file, and a product that wraps around would look small.
std::uint64_t product(std::initializer_list<std::uint64_t> factors) {
    std::uint64_t result = 1;
    for (const std::uint64_t factor : factors) {
        if (factor != 0 && result > (std::uint64_t{1} << 50U) / factor)
            return std::uint64_t{1} << 50U;
        result *= factor;
    }
    return result;
}

}  // namespace

std::uint64_t ConvCall::input_bytes() const {
    return product({batch, inputs, in[0], in[1], in[2], dtype_bytes(dtype)});
}
std::uint64_t ConvCall::output_bytes() const {
    return product({batch, outputs, out[0], out[1], out[2], dtype_bytes(dtype)});
}
std::uint64_t ConvCall::weight_bytes() const {
    return product({inputs / std::max<std::uint64_t>(1, groups), outputs, kernel[0], kernel[1],
                    kernel[2], dtype_bytes(dtype)});
}

}  // namespace holdfast::fit
