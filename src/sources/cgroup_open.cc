// Opening a Cgroup: from a pid to the directories and the files kept open.
#include <fcntl.h>
#include <unistd.h>

#include "sources/cgroup.h"
#include "sources/process_dir.h"

namespace holdfast::sources {

Result<Cgroup> Cgroup::of_process(const Roots& roots, int pid) {
    const auto process = ProcessDir::open(roots, pid);
    if (!process) return process.error();
    const auto memberships = read_pid_cgroup(process->fd());
    if (!memberships) return memberships.error();
    // Our own mounts, not the process's: it is we who open the paths.
    const UniqueFd self(::openat(roots.proc(), "self", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!self) return Error::from_errno("cannot open /proc/self");
    const auto mounts = read_mountinfo(self.get());
    if (!mounts) return mounts.error();
    return open(roots, *memberships, *mounts);
}

Result<Cgroup> Cgroup::open(const Roots& roots, std::span<const CgroupMembership> memberships,
                            std::span<const Mount> mounts) {
    const auto exists = [&](const std::string& path) {
        return ::access(roots.path(path).c_str(), F_OK) == 0;
    };
    Cgroup cgroup;
    cgroup.memory_ = open_chain(roots, place_of("memory", memberships, mounts, exists), true);
    cgroup.pids_ = open_chain(roots, place_of("pids", memberships, mounts, exists), false);
    if (cgroup.memory_.levels.empty() && cgroup.pids_.levels.empty())
        return Error{"no cgroup with memory or pids figures is visible", ENOENT};
    cgroup.looks_.resize(cgroup.memory_.levels.size());
    return cgroup;
}

Cgroup::Chain Cgroup::open_chain(const Roots& roots, const std::optional<CgroupPlace>& place,
                                 bool memory) {
    Chain chain;
    if (!place) return chain;
    chain.version = place->version;
    chain.view = place->view;
    const char* usage = !memory              ? "pids.current"
                        : chain.version == 1 ? "memory.usage_in_bytes"
                                             : "memory.current";
    for (std::optional<CgroupPlace> at = place; at; at = at->parent()) {
        Level level;
        level.path = at->path();
        level.directory = roots.path(at->directory());
        level.dir.reset(::open(level.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!level.dir) continue;
        // The root of the whole hierarchy has no figures, nor has a v2 cgroup for which its parent
        // did not switch the controller on: such a process is charged to the next level up.
        auto opened = LiveFile::open(level.dir.get(), usage);
        if (!opened) continue;
        if (memory) {
            const auto keep = [&](const char* name, LiveFile& file) {
                if (auto live = LiveFile::open(level.dir.get(), name)) file = std::move(*live);
            };
            level.usage = std::move(*opened);
            keep(chain.version == 1 ? "memory.oom_control" : "memory.events", level.events);
            if (chain.version == 2 && chain.levels.empty())
                keep("memory.events.local", level.events_local);
        }
        chain.levels.push_back(std::move(level));
    }
    return chain;
}

}  // namespace holdfast::sources
