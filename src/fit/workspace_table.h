// Workspaces as measured on a GPU by `holdfast fit --calibrate`: exact calls, and for others the
// nearest that was measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "fit/conv_call.h"
#include "fit/recurrent_plane.h"

namespace holdfast::fit {

// How a figure was come by.
enum class Grade : std::uint8_t { measured, between, nearest, rule };

struct Workspace {
    std::vector<Bytes> sizes;  // alive together
    Grade grade = Grade::rule;
};

class WorkspaceTable {
public:
    // Lines of "name value" and "fact integers... = bytes bytes...".
    static Result<WorkspaceTable> parse(std::string_view text);
    static Result<WorkspaceTable> read(const std::string& path);
    // The one that comes with Holdfast for this architecture; empty when none was measured.
    static WorkspaceTable shipped(std::uint32_t sm);

    std::optional<std::vector<Bytes>> exact(Fact fact, std::span<const std::int64_t> values) const;
    // For a convolution: the same call at other batches, else the most alike one.
    std::optional<Workspace> conv(const ConvCall& call, std::span<const std::int64_t> values) const;

    // For a recurrent layer: the same at other batches and lengths, else the most alike one.
    std::optional<Workspace> rnn_work(std::span<const std::int64_t> values) const;

    std::optional<Bytes> context;
    std::string gpu;
    std::size_t size() const { return rows_.size(); }

private:
    using Key = std::vector<std::int64_t>;  // the fact's number first
    struct Sample {
        ConvCall call;
        Bytes bytes;
    };
    static std::optional<Workspace> other_batch(const ConvCall& call,
                                                const std::vector<Sample>& samples);
    std::vector<RecurrentSample> samples_of_layer(const Key& wanted) const;

    std::map<Key, std::vector<Bytes>> rows_;
    std::map<Key, std::vector<Sample>> by_shape_;  // without the batch; by rising batch
    std::map<Key, std::vector<Sample>> by_kind_;   // what algorithms are chosen by
};

}  // namespace holdfast::fit
