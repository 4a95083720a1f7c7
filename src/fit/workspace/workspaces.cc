#include "fit/workspace/workspaces.h"

#include <algorithm>
#include <bit>

namespace holdfast::fit {
namespace {

// The launch configuration of a reduction decides: with too few outputs to fill the GPU, the inputs
// are split, and every part leaves a partial result in global memory.
constexpr std::uint64_t most_threads = 512;  // per block, before vectorising
constexpr std::uint64_t warp = 32;

struct Dimension {
    std::uint64_t stride;
    std::uint64_t size;
};

// Joins dimensions that lie contiguously in memory, as TensorIterator does.
std::vector<Dimension> coalesced(std::vector<Dimension> extents) {
    std::ranges::sort(extents, {}, &Dimension::stride);
    std::vector<Dimension> joined;
    for (const Dimension& extent : extents) {
        if (!joined.empty() && joined.back().stride * joined.back().size == extent.stride)
            joined.back().size *= extent.size;
        else
            joined.push_back(extent);
    }
    return joined;
}

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

std::uint64_t block_extent(std::uint64_t size, std::uint64_t most) {
    return size < most ? std::bit_floor(std::max<std::uint64_t>(1, size)) : most;
}

// How many outputs a thread computes at once: the largest vector that divides all strides.
std::uint64_t output_vector(const std::vector<Dimension>& reduced,
                            const std::vector<Dimension>& kept) {
    std::uint64_t vector = 4;
    const auto divides = [&] {
        if (kept.front().size % vector != 0) return false;
        for (const Dimension& extent : reduced)
            if (extent.stride % vector != 0) return false;
        for (std::size_t i = 1; i < kept.size(); ++i)
            if (kept[i].stride % vector != 0) return false;
        return true;
    };
    while (vector > 1 && !divides()) vector /= 2;
    return vector;
}

}  // namespace

std::vector<Bytes> reduce_scratch(std::span<const std::int64_t> values,
                                  const DeviceProfile& device) {
    if (values.size() < 2 || (values.size() - 2) % 3 != 0) return {};
    std::vector<Dimension> reduced;
    std::vector<Dimension> kept;
    std::uint64_t outputs = 1;
    std::uint64_t inputs = 1;
    for (std::size_t i = 2; i < values.size(); i += 3) {
        if (values[i] < 1 || values[i + 1] < 0) return {};
        const Dimension extent{static_cast<std::uint64_t>(values[i + 1]),
                               static_cast<std::uint64_t>(values[i])};
        if (extent.size == 1) continue;
        if (extent.size > (std::uint64_t{1} << 48U) / std::max(inputs, outputs)) return {};
        (values[i + 2] != 0 ? reduced : kept).push_back(extent);
        (values[i + 2] != 0 ? inputs : outputs) *= extent.size;
    }
    if (reduced.empty()) return {};
    reduced = coalesced(std::move(reduced));
    kept = coalesced(std::move(kept));

    const bool along = kept.empty() || reduced.front().stride < kept.front().stride;
    std::uint64_t dim0 = along ? inputs : outputs;
    const std::uint64_t dim1 = along ? outputs : inputs;
    std::uint64_t vector = 1;
    if ((along ? reduced : kept).front().stride == 1) {
        if (along) {
            if (dim0 > 128 && reduced.size() + kept.size() == 1) dim0 /= 4;
        } else {
            vector = output_vector(reduced, kept);
            dim0 /= vector;
        }
    }
    const std::uint64_t most = most_threads / vector;
    const std::uint64_t extent0 = block_extent(dim0, most);
    const std::uint64_t extent1 = block_extent(dim1, most);
    std::uint64_t width = std::min(extent0, warp);
    const std::uint64_t height = std::min(extent1, most / width);
    width = std::min(extent0, most / height);

    std::uint64_t input_step = along ? width : 1;
    std::uint64_t output_step = along ? 1 : width;
    const bool across = divide_up(inputs, input_step) >= std::min<std::uint64_t>(height * 16, 256);
    (across ? input_step : output_step) *= height;
    const std::uint64_t per_thread = divide_up(inputs, input_step);
    const std::uint64_t grid = divide_up(outputs / vector, output_step);
    const std::uint64_t target =
        device.multiprocessors *
        (device.threads_per_multiprocessor / std::max<std::uint64_t>(1, width * height));
    if (!across || per_thread < 256 || grid > target || grid == 0) return {};
    const std::uint64_t pieces = std::max(
        std::min(divide_up(target, grid), divide_up(per_thread, 16)), divide_up(per_thread, 256));
    if (pieces <= 1) return {};
    std::uint64_t partial = static_cast<std::uint64_t>(values[0]) * outputs * pieces;
    if (!along) partial *= width * vector;
    return {Bytes{partial}, Bytes{4 * grid}};  // and one semaphore per block column
}

namespace {

std::uint64_t at(std::span<const std::int64_t> values, std::size_t index) {
    return index < values.size() && values[index] > 0 ? static_cast<std::uint64_t>(values[index])
                                                      : 0;
}

// For calls of which nothing was measured. Tensor-core kernels want channels last, so for other
// layouts a plan holds copies of its operands: backward of all, forward of the input and the
// weights, and none in the first layer, which has few channels and another kernel.
Workspace conv_rule(const ConvCall& call) {
    if (call.channels_last) return {};
    if (call.depthwise() && call.dtype == Dtype::float32) return {};  // torch's own kernel
    const Bytes input{call.input_bytes()};
    const Bytes weight{call.weight_bytes()};
    const Bytes output{call.output_bytes()};
    if (call.direction != ConvCall::Direction::forward) return {{input + weight + output}};
    if (call.inputs <= 4) return {};
    return {{input + weight}};
}

// cuDNN keeps the gates of every step for backward, and the outputs between layers. Exact to the
// byte at every batch, length and size that was measured.
Workspace rnn_reserve(std::span<const std::int64_t> values) {
    const std::uint64_t gates = at(values, 0) == 2 ? 5 : at(values, 0) == 3 ? 6 : 1;
    constexpr std::uint64_t head = 256;
    const std::uint64_t layers = at(values, 6);
    const std::uint64_t element =
        dtype_bytes(static_cast<Dtype>(std::min<std::uint64_t>(at(values, 1), 3)));
    if (layers == 0) return {};
    return {{Bytes{at(values, 2) * at(values, 3) * at(values, 5) * at(values, 7) *
                       (gates * layers + layers - 1) * element +
                   head}}};
}

// torch's backward of an embedding sorts the indices once there are many.
Workspace embedding_backward(std::span<const std::int64_t> values) {
    constexpr std::uint64_t unsorted = 3072;
    const std::uint64_t indices = at(values, 0);
    if (indices <= unsorted) return {};
    const Bytes list{indices * at(values, 1)};
    return {{list, list, list, list}};
}

}  // namespace

Workspace Workspaces::of(Fact fact, std::span<const std::int64_t> values) const {
    if (fact != Fact::conv)
        if (auto sizes = table_.exact(fact, values)) return {std::move(*sizes), Grade::measured};
    switch (fact) {
    case Fact::conv: {
        const auto call = ConvCall::from(values);
        if (!call) return {};
        if (auto measured = table_.convolutions().find(*call, values)) return std::move(*measured);
        return conv_rule(*call);
    }
    case Fact::reduce: return {reduce_scratch(values, device_), Grade::measured};
    case Fact::embedding_backward: return embedding_backward(values);
    case Fact::rnn_reserve: return rnn_reserve(values);
    case Fact::rnn_work: return table_.rnn_work(values).value_or(Workspace{});
    case Fact::fixed: {
        Workspace fixed;
        for (std::size_t i = 0; i < values.size(); ++i) fixed.sizes.push_back({at(values, i)});
        fixed.grade = Grade::measured;
        return fixed;
    }
    default: return {};
    }
}

}  // namespace holdfast::fit
