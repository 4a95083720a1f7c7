// The words a process was started with: its arguments, and some of its environment.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::sources {

// /proc/PID/cmdline: the arguments that a process was started with, or has overwritten since. Empty
// for a zombie or a kernel thread; a program that rewrote its title has a single argument.
// Arguments may contain secrets and control characters: mask them before storing them.
std::vector<std::string> parse_pid_cmdline(std::string_view text);
// Reads at most 64 KiB; cuts a longer command line.
Result<std::vector<std::string>> read_pid_cmdline(int process_dir);

// /proc/PID/environ, restricted to allowed names: other variables may be secrets, and are neither
// returned nor left in memory.
struct EnvironValue {
    std::string name;
    std::string value;
};

// In the order of the environment. If a name appears twice the first one counts, as for getenv.
std::vector<EnvironValue> parse_pid_environ(std::string_view text,
                                            std::span<const std::string_view> allowed);
// The environment at the process's start: variables that it set later are not in the file. EACCES
// unless we may trace the process.
Result<std::vector<EnvironValue>> read_pid_environ(int process_dir,
                                                   std::span<const std::string_view> allowed);

}  // namespace holdfast::sources
