// Where in a program an unexpected error can be raised.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/guard/recipient.h"

namespace holdfast::agent {

// Whether an error can be raised at this stack, innermost frame first: not in an import, which
// would stay half done; not where the error would be swallowed; not between a lock and its release.
enum class Here : std::uint8_t { yes, waits, not_now, never };
Here may_raise_in(const CalledFunction* stack, std::size_t count);

}  // namespace holdfast::agent
