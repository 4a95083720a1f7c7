// /proc/PID/cmdline: the arguments a process was started with, or has written over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::sources {

// Empty for a zombie and a kernel thread. A program that rewrote its title comes as one argument.
// Arguments may hold secrets and control characters: mask before keeping.
std::vector<std::string> parse_pid_cmdline(std::string_view text);
// At most 64 KiB of it; a longer command line is cut.
Result<std::vector<std::string>> read_pid_cmdline(int process_dir);

}  // namespace holdfast::sources
