// /proc/PID/wchan: the kernel function a process sleeps in.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast::sources {

// Empty when running, or when the kernel does not say ("0").
std::string parse_pid_wchan(std::string_view text);
Result<std::string> read_pid_wchan(int process_dir);

}  // namespace holdfast::sources
