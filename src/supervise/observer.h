// Looks at the machine and the tree at the right moments, and records what it sees.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "record/box_writer.h"
#include "sources/kernel_log.h"
#include "sources/kernel_message.h"
#include "sources/roots.h"
#include "supervise/cadence.h"
#include "supervise/cgroup_watch.h"
#include "supervise/disk_watch.h"
#include "supervise/event_log.h"
#include "supervise/host_look.h"
#include "supervise/memory_reserve.h"
#include "supervise/neighbour_watch.h"
#include "supervise/process_tree.h"
#include "supervise/stack_watch.h"
#include "supervise/stall_watch.h"

namespace holdfast {

class Observer {
public:
    Observer(const sources::Roots& roots, MachineBox& box, EventLog& events, int epoll);

    ProcessTree& tree() { return tree_; }
    StallWatch& stalls() { return stalls_; }
    // What the guards inside the processes need to know.
    std::vector<CgroupAddress> addresses() const { return cgroups_.addresses(); }
    std::optional<Bytes> machine_headroom() const { return HostLook::headroom(latest_); }
    // How many processes the OOM killer has killed on this machine so far; nothing if unknown.
    std::optional<std::uint64_t> oom_kills() const {
        if (latest_.vm_oom_kill == format::unknown) return std::nullopt;
        return latest_.vm_oom_kill;
    }
    int kernel_log_fd() const { return kernel_log_ ? kernel_log_->fd() : -1; }

    void begin(Nanos now, pid_t command, const std::string& working_directory);
    // Reads only the cgroups' memory, for callers that must look often.
    void glance_at_memory(Nanos now) { cgroups_.glance(now, std::chrono::milliseconds(2)); }
    // Makes one look; returns when the next one is due.
    Nanos look(Nanos now);
    void read_kernel_log(Nanos now);
    // Call when a process has ended: our own look at it must not get us killed.
    void make_room() { reserve_.give(); }
    bool has_reserve() const { return reserve_.held(); }
    // Call when the command is dead but not yet reaped: this last look decides most verdicts.
    void last_look(Nanos now, bool ended_well);

private:
    std::optional<Bytes> headroom(const format::Sample& sample) const;
    void study(Nanos now);
    void survey(Nanos now);
    void look_at_neighbours(Nanos now);
    void look_at_stacks(Nanos now);
    void note_kernel_line(Nanos now, const sources::KernelRecord& record);
    bool tight() const;
    void note_missing(Nanos now);
    format::Sample sample_now(Nanos now) const;
    bool is_ours(pid_t pid) const { return tree_.contains(pid); }
    int main_cgroup() const;

    const sources::Roots* roots_;
    MachineBox* box_;
    EventLog* events_;
    HostLook host_;
    MemoryReserve reserve_;
    CgroupWatch cgroups_;
    ProcessTree tree_;
    DiskWatch disks_;
    NeighbourWatch neighbours_;
    StackWatch stacks_;
    StallWatch stalls_;
    std::optional<sources::KernelLog> kernel_log_;
    sources::OomTable oom_table_;
    Cadence cadence_;
    Nanos began_{};
    Nanos next_host_look_{}, next_study_{}, next_survey_{}, next_neighbours_{}, next_stacks_{};
    Nanos interval_ = Cadence::starting;
    format::Sample latest_ = unseen_sample();
    int last_main_cgroup_ = -1;
    bool told_of_lost_log_ = false;
    Nanos lively_until_{};
};

}  // namespace holdfast
