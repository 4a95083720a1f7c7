#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sources/cgroup_place.h"
#include "sources/cgroup_reading.h"
#include "sources/live_file.h"
#include "sources/roots.h"

namespace holdfast::sources {

struct CgroupMembers {
    std::vector<int> pids;
    std::size_t unseen = 0;  // members in other pid namespaces, which the kernel shows as 0
    bool complete = true;    // false: there were more than `limit`
};

class CgroupReader {
public:
    // ENOENT if no cgroup of the memory or pids controller is visible, which is normal.
    static Result<CgroupReader> of_process(const Roots& roots, int pid);
    // For many processes: the caller reads mounts and memberships once.
    static Result<CgroupReader> open(const Roots& roots,
                                     std::span<const CgroupMembership> memberships,
                                     std::span<const Mount> mounts);

    // Of the memory controller; 0 where only pids is visible.
    int version() const;
    // own: its counters are this process's cgroup. Else they count a wider group.
    CgroupView view() const;
    // The path of the own level. A key: processes with equal paths share this cgroup.
    const std::string& path() const;
    // The directory of the own level; "" without a memory controller.
    const std::string& directory() const;
    // An open directory of the own level, for a PressureReader of v2; -1 without one.
    int directory_fd() const;
    // How many levels of memory there are, the own one included.
    std::size_t memory_levels() const { return memory_.levels.size(); }

    // Hot: two small preads per memory level (three for the own), no allocation. Own level first;
    // valid until the next call.
    std::span<const CgroupLook> look();
    // Reads everything and opens files for it: call it about once a second.
    CgroupReading read() const;
    // The processes directly in this cgroup, not those in cgroups below.
    Result<CgroupMembers> members(std::size_t limit = 4096) const;
    // "user.oomd_kill=1" and the like: marks that systemd-oomd leaves on a cgroup that it killed.
    // The marked cgroup may be any level, so all are read, the own level first. A mark counts up
    // and stays: only one that changed during the run counts.
    std::optional<std::string> userspace_oom_mark() const;

private:
    struct Level {
        std::string path;
        std::string directory;
        UniqueFd dir;
        LiveFile usage;         // hot files, only of memory levels
        LiveFile events;        // memory.events, or memory.oom_control
        LiveFile events_local;  // v2, own level
    };
    struct Chain {
        int version = 0;
        CgroupView view = CgroupView::own;
        std::vector<Level> levels;
    };

    CgroupReader() = default;
    static Chain open_chain(const Roots& roots, const std::optional<CgroupPlace>& place,
                            bool memory);

    Chain memory_;
    Chain pids_;
    std::vector<CgroupLook> looks_;
};

}  // namespace holdfast::sources
