// Convolution calls, and their measured workspaces.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fit/capture/capture_format.h"
#include "fit/workspace/workspace.h"

namespace holdfast::fit {

// One convolution call, as cuDNN receives it.
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

// Measured workspaces of convolutions: looks for the same call, then for the same call at another
// batch size, then for the most similar call.
class ConvTable {
public:
    // In the order of Fact::conv. False if it is not a convolution.
    bool add(std::vector<std::int64_t> values, Bytes bytes);
    // Call after the last add().
    void arrange();

    std::optional<Workspace> find(const ConvCall& call, std::span<const std::int64_t> values) const;
    // How many calls were measured.
    std::size_t size() const;

private:
    using Key = std::vector<std::int64_t>;
    struct Sample {
        std::uint64_t batch = 0;
        Bytes bytes;
    };
    // All measurements of one call at different batch sizes; the batch in the key is 0.
    struct Shape {
        Key key;
        ConvCall call;
        std::vector<Sample> samples;  // by rising batch
    };
    static void keep_last_of_each_batch(std::vector<Sample>& samples);
    const Shape* shape_of(std::span<const std::int64_t> values) const;
    std::optional<Workspace> most_alike(const ConvCall& call) const;
    static Workspace other_batch(const ConvCall& call, const Shape& shape);

    std::vector<Shape> shapes_;                          // by rising key
    std::map<Key, std::vector<std::uint32_t>> by_kind_;  // by what cuDNN chooses algorithms by
};

}  // namespace holdfast::fit
