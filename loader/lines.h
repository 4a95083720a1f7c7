// Samples that are lines of text: tables of numbers (CSV), JSON objects, or the lines themselves.
#pragma once

#include <memory>

#include "base/json.h"
#include "loader/line_index.h"
#include "loader/source.h"

namespace holdfast::loader {

// columns, labels, dtype, separator, header of `options`.
Result<std::unique_ptr<Source>> make_csv(LineIndex lines, const Json& options, PageCache cache);
Result<std::unique_ptr<Source>> make_json_lines(LineIndex lines, const Json& options,
                                                PageCache cache);
Result<std::unique_ptr<Source>> make_text_lines(LineIndex lines, PageCache cache);

}  // namespace holdfast::loader
