// The shortest true sentence about a cause, for the top of a page.
#pragma once

#include <string>
#include <string_view>

#include "model/statement.h"
#include "model/verdict.h"

namespace holdfast {

// At most 60 columns, capital first, no full stop.
std::string_view headline_of(CauseId cause);

// With the doubt in front where there is one: "Probably: ...".
std::string headline_of(const Statement& finding);
// For an end that nobody saw, where not even a kill is certain.
std::string headline_of_end(const Verdict& verdict);

}  // namespace holdfast
