// The memory that a library call takes on a given GPU: the measured figure if there is one, else by
// rule.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "fit/capture/capture_format.h"
#include "fit/workspace/device_profile.h"
#include "fit/workspace/workspace_table.h"

namespace holdfast::fit {

// What torch's reduction kernel takes when it splits one output over several thread blocks; empty
// if it splits none. `values` as in Fact::reduce. The sizes are alive together.
std::vector<Bytes> reduce_scratch(std::span<const std::int64_t> values,
                                  const DeviceProfile& device);

// The memory that a library call takes on a given GPU: the measured figure if there is one, else by
// rule.
class Workspaces {
public:
    Workspaces(const DeviceProfile& device, WorkspaceTable table)
        : device_(device), table_(std::move(table)) {}

    // Not for Fact::gemm, whose workspace stays with the thread.
    Workspace of(Fact fact, std::span<const std::int64_t> values) const;

    const DeviceProfile& device() const { return device_; }
    const WorkspaceTable& table() const { return table_; }

private:
    DeviceProfile device_;
    WorkspaceTable table_;
};

}  // namespace holdfast::fit
