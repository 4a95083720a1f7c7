// How the guard is asked for: by options of `run`, else by the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "arguments.h"
#include "base/bytes.h"
#include "base/result.h"
#include "supervise/headroom_page.h"

namespace holdfast::cli {

using Variable = std::function<const char*(const char* name)>;

// Reads --guard, --guard-reserve and --guard-grace, and where one is not given HOLDFAST_GUARD,
// HOLDFAST_GUARD_RESERVE or HOLDFAST_GUARD_GRACE.
// An Error is bad usage, in one line. A variable with a bad value is an Error, too: a guard that is
// silently off is worse.
Result<GuardOptions> guard_options(const Arguments& arguments, const Variable& variable);

}  // namespace holdfast::cli
