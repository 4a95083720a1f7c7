// `import torch` in a process of its own, with a limit on its time: for --import alone.
#pragma once

#include <string>

#include "base/time.h"
#include "check/environment.h"

namespace holdfast::check {

ImportTry try_import(const std::string& python, const std::string& framework, Nanos limit);

}  // namespace holdfast::check
