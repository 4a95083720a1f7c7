// What torch's reduction kernel takes when it splits one output over several thread blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "fit/workspace/device_profile.h"

namespace holdfast::fit {

// `values` as in Fact::reduce. Sizes that live together; none when no output is split.
std::vector<Bytes> reduce_scratch(std::span<const std::int64_t> values,
                                  const DeviceProfile& device);

}  // namespace holdfast::fit
