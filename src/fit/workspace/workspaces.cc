#include "fit/workspace/workspaces.h"

#include <algorithm>

#include "fit/workspace/reduce_scratch.h"

namespace holdfast::fit {
namespace {

std::uint64_t at(std::span<const std::int64_t> values, std::size_t index) {
    return index < values.size() && values[index] > 0 ? static_cast<std::uint64_t>(values[index])
                                                      : 0;
}

// Where nothing was measured. Tensor-core kernels want channels last; on other data a plan holds
// copies of its operands in that layout: all of them backward, forward the input and the weights,
// and none for the first layer, whose few channels another kernel takes.
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

// cuDNN keeps the gates of every step for backward, and the outputs between layers. So much it was
// at every batch, length and size that was measured, to the byte.
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
