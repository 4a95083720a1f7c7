// Workspaces of convolutions as they were measured: those of the same call, of the same call at
// another batch size, else of the most similar call.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fit/workspace/conv_call.h"
#include "fit/workspace/workspace.h"

namespace holdfast::fit {

class ConvTable {
public:
    // In the order of Fact::conv. False: that is no convolution.
    bool add(std::vector<std::int64_t> values, Bytes bytes);
    // After the last one was added.
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
    std::map<Key, std::vector<std::uint32_t>> by_kind_;  // what algorithms are chosen by
};

}  // namespace holdfast::fit
