// Workspaces as `holdfast fit --calibrate` measured them on a GPU: exact for the measured calls,
// and from the nearest measured call for others.
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
#include "fit/workspace/conv_table.h"
#include "fit/workspace/recurrent_plane.h"
#include "fit/workspace/workspace.h"

namespace holdfast::fit {

class WorkspaceTable {
public:
    // Lines of "name value", "fact integers... = bytes bytes..." and, for a convolution at several
    // batches, "conv integers... = batch:bytes ..." with a batch of 0 among the integers.
    static Result<WorkspaceTable> parse(std::string_view text);
    static Result<WorkspaceTable> read(const std::string& path);
    // The one that comes with Holdfast for this architecture; empty when none was measured.
    static WorkspaceTable shipped(std::uint32_t sm);

    // For all facts except convolutions.
    std::optional<std::vector<Bytes>> exact(Fact fact, std::span<const std::int64_t> values) const;
    const ConvTable& convolutions() const { return convolutions_; }
    // For a recurrent layer: from the same layer at other batches and lengths, else from the most
    // similar layer.
    std::optional<Workspace> rnn_work(std::span<const std::int64_t> values) const;

    std::optional<Bytes> context;
    std::string gpu;
    std::size_t size() const { return rows_.size() + convolutions_.size(); }

private:
    using Key = std::vector<std::int64_t>;  // the fact's number first
    std::vector<RecurrentSample> samples_of_layer(const Key& wanted) const;
    std::optional<Key> layer_like(const Key& wanted) const;

    std::map<Key, std::vector<Bytes>> rows_;  // all but convolutions
    ConvTable convolutions_;
};

}  // namespace holdfast::fit
