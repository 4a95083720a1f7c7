// The line of a source file that puts something into a container. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace holdfast {

// `name` as a walk from the program's names gives it: "self.history", "log[\"loss\"]". Nothing
// where no line or several do.
std::optional<int> filling_line(std::string_view source, std::string_view name);

}  // namespace holdfast
