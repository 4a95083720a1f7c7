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
    std::size_t unseen = 0;  // members of other pid namespaces: the kernel shows them as 0
    bool complete = true;    // false: there were more than asked for
};

class Cgroup {
public:
    // ENOENT: no cgroup of the memory or pids controller is visible, an ordinary state.
    static Result<Cgroup> of_process(const Roots& roots, int pid);
    // For many processes: mounts and memberships read once by the caller.
    static Result<Cgroup> open(const Roots& roots, std::span<const CgroupMembership> memberships,
                               std::span<const Mount> mounts);

    // Of the memory controller; 0 where only pids is visible.
    int version() const;
    // Own: counters may be attributed to the process. Otherwise they count a wider group.
    CgroupView view() const;
    // The own level's path, a key: processes with equal paths share this cgroup.
    const std::string& path() const;
    // Directory of the own level, "" where there is no memory controller.
    const std::string& directory() const;
    // Open directory of the own level, for a v2 PressureReader; -1 where there is none.
    int directory_fd() const;
    // How many levels of memory there are, the own one included.
    std::size_t memory_levels() const { return memory_.levels.size(); }

    // Hot: two small preads per memory level (three for the own), no allocation. Own level first;
    // valid until the next call.
    std::span<const CgroupLook> look();
    // Everything, by opening files: once a second or so.
    CgroupReading read() const;
    // Processes directly in the own cgroup (not in those below it).
    Result<CgroupMembers> members(std::size_t limit = 4096) const;
    // "user.oomd_kill=1" and the like: systemd-oomd leaves these marks on a cgroup it killed. The
    // mark is on the cgroup it chose, so all levels are asked, the own first. It counts up and
    // stays: only a mark that changed during the run counts.
    std::optional<std::string> userspace_oom_mark() const;

private:
    struct Level {
        std::string path;
        std::string directory;
        UniqueFd dir;
        LiveFile usage;         // hot files, of memory levels only
        LiveFile events;        // memory.events, or memory.oom_control
        LiveFile events_local;  // v2, own level
    };
    struct Chain {
        int version = 0;
        CgroupView view = CgroupView::own;
        std::vector<Level> levels;
    };

    Cgroup() = default;
    static Chain open_chain(const Roots& roots, const std::optional<CgroupPlace>& place,
                            bool memory);

    Chain memory_;
    Chain pids_;
    std::vector<CgroupLook> looks_;
};

}  // namespace holdfast::sources
