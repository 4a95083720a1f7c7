// The program and everything below it: which processes there are, how large, and how each one
// ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/unique_fd.h"
#include "record/section_writer.h"
#include "sources/process_dir.h"
#include "sources/roots.h"
#include "supervise/event_log.h"
#include "supervise/process_rows.h"

namespace holdfast {

struct TreeTotals {
    Nanos time{};  // when the totals were taken
    std::uint64_t rss = 0, processes = 0, threads = 0, cpu_ns = 0;
};

class ProcessTree {
public:
    // Returns the black box's slot for a process's cgroup, given its open /proc directory.
    using CgroupSlot = std::function<std::optional<int>(int process_dir)>;

    ProcessTree(const sources::Roots& roots, TableWriter<format::Process>& table, EventLog& events,
                int epoll, CgroupSlot cgroup_slot);

    // The tree is everything below the supervisor, except its own helpers.
    void adopt_command(Nanos now, pid_t pid);
    void leave_out(pid_t helper) { helpers_.push_back(helper); }

    // Finds new processes; costs next to nothing if nothing was started on the machine. Returns
    // whether it found any.
    bool discover(Nanos now);
    // The same at any cost, for callers that must know every process.
    bool find_newcomers(Nanos now);
    // Reads the figures of the command, at every look, and of newcomers: between fork and exec a
    // process looks like its parent.
    void glance(Nanos now);
    // Reads the figures of every process, about once a second.
    void study(Nanos now);
    // Now and then: reads what costs more, for the command and the process that does the work.
    void survey(Nanos now);

    // The pidfd of this process has become readable: it has ended.
    void on_pidfd(Nanos now, pid_t pid);
    // The command is a zombie: it may have set a limit since the last look, and died of it.
    void before_reaping();
    // A child of ours (the command, an orphan) has ended, with a known status.
    void on_reaped(Nanos now, pid_t pid, int wait_status);

    const format::Process* command() const;
    const TreeTotals& totals() const { return totals_; }
    // It belongs to the tree, now or until recently, or is one of the supervisor's helpers.
    bool contains(pid_t pid) const;
    // The process that does the work, whose cgroup and files matter: what a wrapper script is
    // running now, else the command.
    const format::Process* working() const;
    // The living Python processes, the working one first.
    std::vector<pid_t> pythons() const;
    // All living members, the working one first.
    std::vector<pid_t> living() const;
    // The row of a living member; null for others.
    const format::Process* member(pid_t pid) const;
    // Open /proc directory of a living member, or -1.
    int directory_of(pid_t pid) const;

private:
    struct Member {
        sources::ProcessDir dir;
        UniqueFd pidfd;
        std::optional<std::size_t> slot;
        format::Process record{};
        Nanos identified{};
        bool settled = false;  // identified again after the moment between fork and exec
    };

    bool add(Nanos now, pid_t pid, pid_t parent);
    bool has_ended(pid_t pid, sources::ProcessDir& dir) const;
    void identify(Nanos now, Member& member);
    void measure(Nanos now, Member& member, bool in_full);
    void end(Nanos now, pid_t pid, std::optional<int> wait_status);
    void save(const Member& member);
    bool somebody_was_started();
    std::vector<std::pair<pid_t, pid_t>> children_below();
    Result<std::vector<int>> children_of(pid_t parent) const;
    std::size_t living_children(pid_t parent) const;

    const sources::Roots* roots_;
    ProcessSlots slots_;
    EventLog* events_;
    int epoll_;
    CgroupSlot cgroup_slot_;
    pid_t command_ = 0;
    std::vector<pid_t> helpers_;
    std::map<pid_t, Member> living_;
    struct Ended {
        pid_t pid;
        std::uint64_t start_ticks;
    };
    std::deque<Ended> ended_;  // the last few hundred that ended
    std::string last_pid_;
    Nanos next_discovery_{};
    TreeTotals totals_;
};

}  // namespace holdfast
