// `import torch` in a separate process with a time limit: only for --import.
#pragma once

#include <string>

#include "base/time.h"
#include "check/environment.h"

namespace holdfast::check {

ImportTry try_import(const std::string& python, const std::string& framework, Nanos limit);

}  // namespace holdfast::check
