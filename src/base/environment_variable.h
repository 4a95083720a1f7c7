// A variable of this process's environment; an empty one counts as not set.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace holdfast {

inline std::optional<std::string> environment_variable(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
}

}  // namespace holdfast
