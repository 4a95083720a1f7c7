// The words a process was started with: its arguments, and some of its environment.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::sources {

// /proc/PID/cmdline: the arguments a process was started with, or has written over.
// Empty for a zombie and a kernel thread. A program that rewrote its title comes as one argument.
// Arguments may hold secrets and control characters: mask before keeping.
std::vector<std::string> parse_pid_cmdline(std::string_view text);
// At most 64 KiB of it; a longer command line is cut.
Result<std::vector<std::string>> read_pid_cmdline(int process_dir);

// /proc/PID/environ, through a list of allowed names: other variables may be secrets, and are
// neither returned nor left behind in memory.
struct EnvironValue {
    std::string name;
    std::string value;
};

// In the order of the environment; where a name comes twice, the first counts, as for getenv.
std::vector<EnvironValue> parse_pid_environ(std::string_view text,
                                            std::span<const std::string_view> allowed);
// As the process was started; what it set later is not in the file. EACCES unless we may trace it.
Result<std::vector<EnvironValue>> read_pid_environ(int process_dir,
                                                   std::span<const std::string_view> allowed);

}  // namespace holdfast::sources
