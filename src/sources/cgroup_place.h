// Finds a process's cgroup: its path in every hierarchy, and the directory that shows its figures.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/mountinfo.h"

namespace holdfast::sources {

// /proc/PID/cgroup: the path of a process in every cgroup hierarchy.
struct CgroupMembership {
    int hierarchy = 0;                     // 0: the unified one (v2)
    std::vector<std::string> controllers;  // v1: {"memory"}, {"cpu", "cpuacct"}, {"name=systemd"}
    std::string path;      // "/", "/user.slice/a", "/../sibling" from inside a cgroup namespace
    bool deleted = false;  // the directory was removed, and a zombie was left
};

Result<std::vector<CgroupMembership>> parse_pid_cgroup(std::string_view text);
Result<std::vector<CgroupMembership>> read_pid_cgroup(int process_dir);

// Finds the directory that shows a process's cgroup: with v1, v2 or both, and from inside a
// container.

// Whose directory it is.
enum class CgroupView {
    own,       // the process's own cgroup
    ancestor,  // one above it: its own is not visible from here
    stand_in,  // the only one mounted here (a container's, say); it may not be above it
};

struct CgroupPlace {
    int version = 0;     // 1 or 2
    std::string mount;   // the mount point
    std::string below;   // the path below it: "" or "/a/b"
    std::string prefix;  // the hierarchy's part that is mounted: "" or "/docker/123"
    CgroupView view = CgroupView::own;

    std::string directory() const { return mount + below; }
    // The name in the kernel log, unless we are in a cgroup namespace.
    std::string path() const;
    // The level above, nothing at the top of what is visible.
    std::optional<CgroupPlace> parent() const;
};

using DirectoryExists = std::function<bool(const std::string& path)>;

// Where `controller` ("memory", "pids") has the figures of this process; nothing if they are not
// visible. Uses the filesystem only through `exists`.
std::optional<CgroupPlace> place_of(std::string_view controller,
                                    std::span<const CgroupMembership> memberships,
                                    std::span<const Mount> mounts, const DirectoryExists& exists);

}  // namespace holdfast::sources
