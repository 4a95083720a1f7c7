// Where in a program an unexpected error can be raised.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/guard/recipient.h"

namespace holdfast::agent {

// Where an error can be raised, going by the stack, innermost first: not in an import, which would
// stay half done, nor where the error would be swallowed, nor between a lock and its release.
enum class Here : std::uint8_t { yes, waits, not_now, never };
Here may_raise_in(const CalledFunction* stack, std::size_t count);

}  // namespace holdfast::agent
