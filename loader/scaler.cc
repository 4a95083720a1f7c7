#include "loader/scaler.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "loader/scaler_kernels.h"

namespace holdfast::loader {
namespace {

// libjpeg-turbo writes rows that begin at a multiple of 32 bytes past the cache, and reading them
// back from memory takes longer than computing a row. So no row begins at such an address.
constexpr std::uint64_t aside = 16;

constexpr int weight_bits = 14;

// As many taps as fit a result's neighbourhood, a multiple of 4 so that kernels need no tail.
bool make_weights(Scratch& scratch, std::uint32_t in, double from, double to, std::uint32_t out,
                  Weights& weights) {
    const double scale = (to - from) / out;
    const double wide = std::max(scale, 1.0);
    const auto most = static_cast<std::uint32_t>(std::ceil(wide)) * 2 + 1;
    weights.taps = static_cast<std::uint32_t>(rounded_up(most, 4));
    weights.first = static_cast<std::uint32_t*>(scratch.take(out * sizeof(std::uint32_t)));
    weights.weight = static_cast<std::int16_t*>(
        scratch.take(std::uint64_t{out} * weights.taps * sizeof(std::int16_t)));
    auto* exact = static_cast<double*>(scratch.take(weights.taps * sizeof(double)));
    if (weights.first == nullptr || weights.weight == nullptr || exact == nullptr) return false;
    for (std::uint32_t i = 0; i < out; ++i) {
        const double center = from + (i + 0.5) * scale;
        const double low = std::floor(center - wide + 0.5);
        const double high = std::floor(center + wide + 0.5);
        const auto last = static_cast<double>(in);
        auto begin = static_cast<std::uint32_t>(std::clamp(low, 0.0, last - 1));
        const auto end = static_cast<std::uint32_t>(std::clamp(high, begin + 1.0, last));
        const std::uint32_t count = std::min(end - begin, weights.taps);
        double sum = 0;
        for (std::uint32_t k = 0; k < count; ++k) {
            exact[k] = std::max(0.0, 1.0 - std::abs((begin + k + 0.5 - center) / wide));
            sum += exact[k];
        }
        if (sum <= 0) {
            exact[0] = sum = 1;
        }
        std::int16_t* weight = weights.weight + std::uint64_t{i} * weights.taps;
        std::fill(weight, weight + weights.taps, std::int16_t{0});
        int total = 0;
        std::uint32_t heaviest = 0;
        for (std::uint32_t k = 0; k < count; ++k) {
            weight[k] = static_cast<std::int16_t>(std::lround(exact[k] / sum * (1 << weight_bits)));
            total += weight[k];
            if (weight[k] > weight[heaviest]) heaviest = k;
        }
        // A surface of one colour must keep that colour.
        weight[heaviest] = static_cast<std::int16_t>(weight[heaviest] + (1 << weight_bits) - total);
        weights.first[i] = begin;
    }
    return true;
}

}  // namespace

bool Scaler::begin(Scratch& scratch, ImageSize in, CropBox box, ImageSize out,
                   std::uint32_t channels, RowSink& sink) {
    in_ = in;
    out_ = out;
    channels_ = channels;
    arrived_ = made_ = 0;
    sink_ = &sink;
    if (!make_weights(scratch, in.width, box.left, box.right, out.width, horizontal_) ||
        !make_weights(scratch, in.height, box.top, box.bottom, out.height, vertical_))
        return false;
    ring_rows_ = vertical_.taps + 1;
    // Kernels read whole vectors, so a row is followed by bytes that do not matter.
    const std::uint64_t spare = std::uint64_t{horizontal_.taps} * channels + cache_line + aside;
    stride_ = rounded_up(std::uint64_t{in.width} * channels + spare, cache_line);
    ring_ = static_cast<std::uint8_t*>(scratch.take(stride_ * ring_rows_));
    mixed_row_ = static_cast<std::uint8_t*>(scratch.take(stride_));
    result_ =
        static_cast<std::uint8_t*>(scratch.take(std::uint64_t{out.width} * channels + cache_line));
    rows_ = static_cast<const std::uint8_t**>(scratch.take(vertical_.taps * sizeof(void*)));
    if (ring_ == nullptr || mixed_row_ == nullptr || result_ == nullptr || rows_ == nullptr)
        return false;
    std::memset(ring_, 0, stride_ * ring_rows_);
    std::memset(mixed_row_, 0, stride_);
    if (reinterpret_cast<std::uintptr_t>(ring_) % (2 * aside) == 0) ring_ += aside;
    return true;
}

std::uint8_t* Scaler::next_row() { return ring_ + arrived_ % ring_rows_ * stride_; }

bool Scaler::row_done() {
    ++arrived_;
    while (made_ < out_.height) {
        const std::int16_t* weight = vertical_.weight + std::uint64_t{made_} * vertical_.taps;
        std::uint32_t used = vertical_.taps;
        while (used > 1 && weight[used - 1] == 0) --used;
        const std::uint32_t first = vertical_.first[made_];
        if (arrived_ < std::min(first + used, in_.height)) return true;
        for (std::uint32_t k = 0; k < vertical_.taps; ++k)
            rows_[k] = ring_ + std::min(first + k, first + used - 1) % ring_rows_ * stride_;
        mix_rows(rows_, weight, static_cast<std::uint32_t>(rounded_up(used, 2)),
                 in_.width * channels_, mixed_row_);
        emit();
        ++made_;
    }
    return false;
}

void Scaler::emit() {
    mix_columns(mixed_row_, horizontal_, out_.width, channels_, result_);
    sink_->row(made_, result_);
}

}  // namespace holdfast::loader
