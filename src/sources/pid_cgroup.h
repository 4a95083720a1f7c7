// /proc/PID/cgroup: the path of a process in every cgroup hierarchy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::sources {

struct CgroupMembership {
    int hierarchy = 0;                     // 0: the unified one (v2)
    std::vector<std::string> controllers;  // v1: {"memory"}, {"cpu", "cpuacct"}, {"name=systemd"}
    std::string path;      // "/", "/user.slice/a", "/../sibling" from inside a cgroup namespace
    bool deleted = false;  // the directory was removed under a zombie
};

Result<std::vector<CgroupMembership>> parse_pid_cgroup(std::string_view text);
Result<std::vector<CgroupMembership>> read_pid_cgroup(int process_dir);

}  // namespace holdfast::sources
