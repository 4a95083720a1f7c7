// Paths as text, below any root.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/sight.h"

namespace holdfast::check {

std::string folder_of(std::string_view path);  // "/usr/bin" of "/usr/bin/python3"
std::string joined(std::string_view folder, std::string_view name);
// Without "." and "..": "/a/b/../c" is "/a/c".
std::string tidy(std::string_view path);
// Follows links of the last component; a loop ends where it began.
std::string followed(Sight& sight, std::string path);

// The folders in this environment variable's list; leaves out empty ones.
std::vector<std::string> folders_in(const std::string* variable);

}  // namespace holdfast::check
