// Which machine this is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sources/roots.h"

namespace holdfast::sources {

using BootId = std::array<std::byte, 16>;

struct Host {
    std::string name;
    std::string kernel;             // "6.1.0-13-amd64"
    std::optional<BootId> boot_id;  // differs after a reboot: monotonic times do not compare
    std::optional<int> cpus;        // online; a cgroup's quota or an affinity may allow fewer
    // Only then do pids in the kernel log mean the same as ours. False if unknown.
    bool in_first_pid_namespace = false;
    bool wsl = false;
};

std::optional<BootId> parse_boot_id(std::string_view text);
// "0-3,8,10-11": how many.
std::optional<int> parse_cpu_list(std::string_view text);
// "pid:[4026531836]": returns the number.
std::optional<std::uint64_t> parse_namespace_link(std::string_view text);
bool is_wsl_kernel(std::string_view release);

Host read_host(const Roots& roots);

}  // namespace holdfast::sources
