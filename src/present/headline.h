// The shortest true sentence about a cause, for the top of a page, and a line of code as people
// name it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/statement.h"
#include "model/verdict.h"

namespace holdfast {

// At most 60 columns, begins with a capital, no full stop.
std::string_view headline_of(CauseId cause);

// With the doubt in front where there is one: "Probably: ...".
std::string headline_of(const Statement& finding);
// Also covers an end that nobody saw, of which not even a kill is certain.
std::string headline_of_end(const Verdict& verdict);

// A line of code as people name it.
// "train.py:42", or in a notebook "cell [3], line 2".
std::string place_name(const std::string& file, std::optional<int> line);

}  // namespace holdfast
