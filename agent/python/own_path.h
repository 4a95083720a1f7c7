// Which source files are the program's own.
#pragma once

#include "agent/base/text.h"
#include "knowledge/own_code.h"

namespace holdfast::agent {

inline bool is_own_path(Text file) { return is_users(home_of_code(file.data, file.size)); }

}  // namespace holdfast::agent
