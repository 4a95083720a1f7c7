#include "fit/workspace/conv_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

namespace {

constexpr std::size_t dtype_index = 1;
constexpr std::size_t batch_index = 6;

// The same for calls that differ only in channels, image size and batch.
std::vector<std::int64_t> kind_key(const ConvCall& call) {
    std::vector<std::int64_t> key{static_cast<std::int64_t>(call.direction),
                                  static_cast<std::int64_t>(call.dtype),
                                  call.channels_last ? 1 : 0,
                                  call.transposed ? 1 : 0,
                                  call.groups == 1   ? 0
                                  : call.depthwise() ? 2
                                                     : 1,
                                  static_cast<std::int64_t>(call.dims)};
    for (const auto* list : {&call.kernel, &call.stride, &call.dilation})
        for (const std::uint64_t value : *list) key.push_back(static_cast<std::int64_t>(value));
    return key;
}

double apart(std::uint64_t x, std::uint64_t y) {
    return std::abs(std::log2(static_cast<double>(std::max<std::uint64_t>(1, x))) -
                    std::log2(static_cast<double>(std::max<std::uint64_t>(1, y))));
}

// How unlike two calls are, without the batch.
double distance(const ConvCall& a, const ConvCall& b) {
    // Vectorised kernels need channels in multiples of their width, so a network's first layer is
    // unlike any other.
    const bool odd =
        (a.inputs % 4 == 0) != (b.inputs % 4 == 0) || (a.outputs % 4 == 0) != (b.outputs % 4 == 0);
    return (odd ? 8 : 0) + apart(a.inputs, b.inputs) + apart(a.outputs, b.outputs) +
           apart(a.in[0] * a.in[1] * a.in[2], b.in[0] * b.in[1] * b.in[2]) / 2;
}

// Most plans hold little more than copies of some operands in another layout. Find out from the
// sample which operands, and take the same ones of this call.
Bytes scaled(const ConvCall& sample, Bytes measured, const ConvCall& call) {
    const std::uint64_t parts[3] = {sample.input_bytes(), sample.weight_bytes(),
                                    sample.output_bytes()};
    const std::uint64_t own[3] = {call.input_bytes(), call.weight_bytes(), call.output_bytes()};
    std::uint64_t best_rest = measured.count;
    unsigned best = 0;
    for (unsigned subset = 0; subset < 8; ++subset) {
        std::uint64_t sum = 0;
        for (unsigned i = 0; i < 3; ++i)
            if ((subset >> i & 1U) != 0) sum += parts[i];
        if (sum <= measured.count && measured.count - sum < best_rest) {
            best_rest = measured.count - sum;
            best = subset;
        }
    }
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < 3; ++i)
        if ((best >> i & 1U) != 0) sum += own[i];
    const std::uint64_t explained = measured.count - best_rest;
    // A rest that copies do not explain grows with the work, unless it is small.
    if (explained == 0 || best_rest > explained / 4) {
        const double growth =
            static_cast<double>(own[0] + own[1] + own[2]) /
            static_cast<double>(std::max<std::uint64_t>(1, parts[0] + parts[1] + parts[2]));
        return {sum + static_cast<std::uint64_t>(static_cast<double>(best_rest) * growth)};
    }
    return {sum + best_rest};
}

ConvCall at_batch(ConvCall call, std::uint64_t batch) {
    call.batch = batch;
    return call;
}

}  // namespace

Bytes within_reason(double bytes) {
    constexpr double most = 1ULL << 60U;
    return {static_cast<std::uint64_t>(std::clamp(bytes, 0.0, most))};
}

bool ConvTable::add(std::vector<std::int64_t> values, Bytes bytes) {
    auto call = ConvCall::from(values);
    if (!call) return false;
    const std::uint64_t batch = std::exchange(call->batch, 0);
    values[batch_index] = 0;
    // Lines of the same shape often follow each other.
    if (shapes_.empty() || shapes_.back().key != values)
        shapes_.push_back({std::move(values), *call, {}});
    shapes_.back().samples.push_back({batch, bytes});
    return true;
}

void ConvTable::arrange() {
    std::ranges::stable_sort(shapes_, {}, &Shape::key);
    std::vector<Shape> merged;
    for (Shape& shape : shapes_) {
        if (merged.empty() || merged.back().key != shape.key) {
            merged.push_back(std::move(shape));
        } else {
            auto& samples = merged.back().samples;
            samples.insert(samples.end(), shape.samples.begin(), shape.samples.end());
        }
    }
    shapes_ = std::move(merged);
    by_kind_.clear();
    for (std::uint32_t i = 0; i < shapes_.size(); ++i) {
        keep_last_of_each_batch(shapes_[i].samples);
        by_kind_[kind_key(shapes_[i].call)].push_back(i);
    }
}

// A later measurement replaces an earlier one.
void ConvTable::keep_last_of_each_batch(std::vector<Sample>& samples) {
    std::ranges::reverse(samples);
    std::ranges::stable_sort(samples, {}, &Sample::batch);
    const auto same = [](const Sample& a, const Sample& b) { return a.batch == b.batch; };
    samples.erase(std::unique(samples.begin(), samples.end(), same), samples.end());
}

std::size_t ConvTable::size() const {
    std::size_t count = 0;
    for (const Shape& shape : shapes_) count += shape.samples.size();
    return count;
}

const ConvTable::Shape* ConvTable::shape_of(std::span<const std::int64_t> values) const {
    Key key(values.begin(), values.end());
    key[batch_index] = 0;
    const auto found = std::ranges::lower_bound(shapes_, key, {}, &Shape::key);
    return found != shapes_.end() && found->key == key ? &*found : nullptr;
}

// The same call at another batch. If the samples below and above agree, the value lies on their
// line. If not, a plan changed in between, and the larger batch is the better witness.
Workspace ConvTable::other_batch(const ConvCall& call, const Shape& shape) {
    const std::vector<Sample>& samples = shape.samples;
    const auto by = [&](const Sample& sample) {
        return scaled(at_batch(shape.call, sample.batch), sample.bytes, call);
    };
    const auto above = std::ranges::lower_bound(samples, call.batch, {}, &Sample::batch);
    const auto second = above == samples.begin() ? above + 1 : above;
    if (second >= samples.end()) return {{by(samples.back())}, Grade::between};
    const Sample& low = *(second - 1);
    const Sample& high = *second;
    const Bytes by_low = by(low);
    const Bytes by_high = by(high);
    const std::uint64_t apart =
        by_low > by_high ? by_low.count - by_high.count : by_high.count - by_low.count;
    const std::uint64_t operands = call.input_bytes() + call.weight_bytes() + call.output_bytes();
    if (apart > operands / 50 + Bytes::mib(1).count)
        return {{above == samples.begin() ? by_low : by_high}, Grade::nearest};
    const double slope =
        (static_cast<double>(high.bytes.count) - static_cast<double>(low.bytes.count)) /
        static_cast<double>(high.batch - low.batch);
    const double value = static_cast<double>(low.bytes.count) +
                         slope * (static_cast<double>(call.batch) - static_cast<double>(low.batch));
    return {{within_reason(value)}, Grade::between};
}

std::optional<Workspace> ConvTable::most_alike(const ConvCall& call) const {
    const auto kind = by_kind_.find(kind_key(call));
    if (kind == by_kind_.end()) return std::nullopt;
    const Shape* nearest = nullptr;
    const Sample* sample_of_it = nullptr;
    double least = 0;
    for (const std::uint32_t index : kind->second) {
        const Shape& shape = shapes_[index];
        const double between = distance(shape.call, call);
        for (const Sample& sample : shape.samples) {
            const double whole = between + apart(sample.batch, call.batch) / 2;
            if (nearest != nullptr && whole >= least) continue;
            nearest = &shape;
            sample_of_it = &sample;
            least = whole;
        }
    }
    const ConvCall measured = at_batch(nearest->call, sample_of_it->batch);
    return Workspace{{scaled(measured, sample_of_it->bytes, call)}, Grade::nearest};
}

std::optional<Workspace> ConvTable::find(const ConvCall& call,
                                         std::span<const std::int64_t> values) const {
    const auto at_its_batch = [&](const Shape* shape) -> const Sample* {
        if (shape == nullptr) return nullptr;
        const auto found = std::ranges::lower_bound(shape->samples, call.batch, {}, &Sample::batch);
        return found != shape->samples.end() && found->batch == call.batch ? &*found : nullptr;
    };
    const Shape* shape = shape_of(values);
    if (const Sample* sample = at_its_batch(shape))
        return Workspace{{sample->bytes}, Grade::measured};
    // The two half types share their kernels: nine of ten calls measured in both took the same.
    const Shape* twin = nullptr;
    if (call.dtype == Dtype::float16 || call.dtype == Dtype::bfloat16) {
        Key other(values.begin(), values.end());
        other[dtype_index] = 3 - other[dtype_index];
        twin = shape_of(other);
        if (const Sample* sample = at_its_batch(twin))
            return Workspace{{sample->bytes}, Grade::between};
    }
    if (shape != nullptr) return other_batch(call, *shape);
    if (twin != nullptr) return other_batch(call, *twin);
    return most_alike(call);
}

}  // namespace holdfast::fit
