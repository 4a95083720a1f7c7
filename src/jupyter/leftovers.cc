#include "jupyter/leftovers.h"

#include <unistd.h>

#include <csignal>
#include <map>

#include "base/child.h"
#include "sources/pid_stat.h"
#include "sources/process_dir.h"
#include "sources/process_list.h"

namespace holdfast {
namespace {

using Parents = std::map<pid_t, sources::PidStat>;

// We are the subreaper of the kernel, so its orphans are our children. And if we lead the process
// group, every process in it came from the kernel.
bool came_from_kernel(const Parents& all, pid_t pid, pid_t us, bool we_lead) {
    if (we_lead) return pid != us;
    for (int steps = 0; steps < 64; ++steps) {
        const auto found = all.find(pid);
        if (found == all.end()) return false;
        pid = found->second.ppid;
        if (pid == us) return true;
    }
    return false;
}

}  // namespace

void end_leftovers(const sources::Roots& roots, pid_t except) {
    const auto pids = sources::list_processes(roots);
    if (!pids) return;
    Parents all;
    for (const int pid : *pids)
        if (auto dir = sources::ProcessDir::open(roots, pid))
            if (const auto stat = dir->stat()) all.emplace(pid, *stat);
    const pid_t us = ::getpid();
    const pid_t group = ::getpgrp();
    for (const auto& [pid, stat] : all) {
        if (pid == us || pid == except || stat.pgrp != group || stat.state == 'Z' ||
            !came_from_kernel(all, pid, us, group == us))
            continue;
        const auto still_it = [&roots, pid = pid, ticks = stat.start_ticks] {
            auto dir = sources::ProcessDir::open(roots, pid);
            if (!dir) return false;
            const auto now = dir->stat();
            return now && now->start_ticks == ticks;
        };
        if (const auto process = ProcessHandle::open(pid, still_it)) process->send(SIGKILL);
    }
}

}  // namespace holdfast
