// The cgroups that the program's processes are in: their limits, their use, and their kill counts.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "record/section_writer.h"
#include "sources/cgroup.h"
#include "sources/mountinfo.h"
#include "sources/roots.h"
#include "supervise/event_log.h"

namespace holdfast {

// The level of a chain with the least room, as the curve shows it.
struct TightestLevel {
    std::optional<Bytes> usage, limit, headroom;
};

// One chain, in the form in which a process in it can recognise it.
struct CgroupAddress {
    std::string membership;  // the text of /proc/PID/cgroup
    std::string directory;   // of the own level; empty: no memory controller is visible
    int version = 0;
    std::size_t levels = 0;
    std::optional<Bytes> headroom, limit;
};

class CgroupWatch {
public:
    using IsOurs = std::function<bool(pid_t)>;

    CgroupWatch(const sources::Roots& roots, TableWriter<format::Cgroup>& table, EventLog& events);

    // Opens the supervisor's own cgroup, into which the command is born. Call before the command
    // starts, so that the counters of before are known.
    void open_own(Nanos now);
    // The slot of this process's cgroup, which is opened when it is first seen. Nothing if it is
    // not visible, or if the table is full.
    std::optional<int> slot_of(Nanos now, int process_dir);

    // Reads use and kill counts of all levels; call at every look. A count that changed becomes an
    // event. Near a limit, file pages are counted again after `refresh`.
    static constexpr Nanos usual_refresh = std::chrono::milliseconds(20);
    void glance(Nanos now, Nanos refresh = usual_refresh);
    // Reads everything; call about once a second.
    void study(Nanos now, const IsOurs& is_ours);
    // Call after the program's end: reads everything once more, and finds which strangers have
    // left. `others_gone` are strangers known to have shared the limit of the slot `limited`.
    void settle(Nanos now, const IsOurs& is_ours, int limited,
                const std::vector<pid_t>& others_gone);

    // Whether a process is charged to the same limit as those in `slot`.
    bool shares_limit(int process_dir, int slot) const;

    // The figures of one chain at the last quick and the last full reading.
    TightestLevel tightest(int slot) const;
    // The kills of all watched groups, as last counted.
    std::uint64_t all_kills() const;
    std::optional<std::uint64_t> kills(int slot) const;
    std::optional<Bytes> shared_memory(int slot) const;
    // The chains whose limits are known to be the processes' own.
    std::vector<CgroupAddress> addresses() const;
    bool any() const { return !watched_.empty(); }
    const std::string& why_none() const { return why_none_; }

private:
    struct Watched {
        std::string key;  // the membership, as /proc/PID/cgroup has it
        sources::CgroupReader cgroup;
        format::Cgroup record{};
        std::vector<std::optional<Bytes>> reclaimable;  // per level, at the last study
        Nanos last_glance{}, last_refresh{};
    };

    static bool counts_are_ours(const Watched& watched);
    void read_levels(Watched& watched) const;
    static bool is_close(const Watched& watched);
    void note_strangers(Watched& watched, const IsOurs& is_ours);
    void count_kills(Nanos now, std::size_t slot, std::uint64_t count);
    void save(std::size_t slot);

    const sources::Roots* roots_;
    TableWriter<format::Cgroup>* table_;
    EventLog* events_;
    std::vector<sources::Mount> mounts_;
    std::vector<Watched> watched_;
    std::string why_none_;
};

}  // namespace holdfast
