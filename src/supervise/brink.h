// The brink, at which a cgroup is nearly full: how often to look, how the kernel notifies us, and
// how the program is called before the kernel kills.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "supervise/cgroup_watch.h"
#include "supervise/headroom_page.h"
#include "supervise/process_tree.h"

namespace holdfast {

// How often to look at a cgroup that is nearly full, and when its program must be called: touched
// memory can grow by one or two gigabytes a second.
class BrinkPace {
public:
    static constexpr Nanos fastest = std::chrono::milliseconds(1);
    static constexpr Nanos slowest = std::chrono::milliseconds(50);
    // From a call on, the program looks at its memory itself, so a supervisor that has to wait for
    // the CPU does no harm. It should be called a few of its own steps before the end.
    static constexpr Nanos ahead = std::chrono::milliseconds(500);
    static Bytes zone_of(Bytes limit) { return {limit.count / 8}; }

    // With less room than this, the program has grown by more than the guard inside it granted. The
    // guard decides by a figure of its own, which is a little lower.
    static Bytes floor_of(Bytes limit, std::optional<Bytes> reserve);

    enum class Call : std::uint8_t {
        none,
        soon,  // at this rate the floor will be reached before the next looks
        now,   // less than the floor is left, and it still grows
    };
    struct Step {
        std::optional<Nanos> look_again;  // nothing: the limit is far
        Call call = Call::none;
    };
    Step next(Nanos now, Bytes room, Bytes limit, std::optional<Bytes> reserve);

private:
    std::optional<Bytes> last_room_;
    Nanos last_look_{};
    double bytes_per_second_ = 0;  // of growth; the recent maximum, decaying
};

// Makes the kernel notify us when a cgroup nears its limit. Polling would be too late: touched
// memory can grow by one or two gigabytes a second.
class BrinkWatch {
public:
    // The brink begins when a sixteenth of the limit is left.
    static Bytes brink_of(Bytes limit) { return {limit.count / 16}; }

    // Asks the kernel for notices about every new chain. Without the right to do so (v1 needs root,
    // v2 a cgroup of one's own) there are none, and the supervisor's own looks must be enough.
    void follow(const std::vector<CgroupAddress>& cgroups);

    // New descriptors to wait on since the last call; readable or urgent when memory is tight.
    std::vector<int> take_new_fds();
    // Call after one of them woke us: reads them empty.
    void drain();

private:
    void follow_v1(const CgroupAddress& cgroup);
    void follow_v2(const CgroupAddress& cgroup);
    void add(UniqueFd fd);

    std::vector<std::string> followed_;
    std::vector<UniqueFd> fds_;
    std::size_t handed_out_ = 0;
};

// Signals the main thread of the process that the kernel would kill next, just before the kernel
// does.
class BrinkCaller {
public:
    explicit BrinkCaller(const ProcessTree& tree) : tree_(&tree) {}

    // Calls the largest process of the tree. If it does not listen, or if nobody would get an error
    // there, calls the nearest ancestor that listens.
    void call(HeadroomPage& page) const;
    // Calls early: every process that may be growing begins to look at its memory. Does not disturb
    // a process whose only thread sleeps in a system call.
    void announce(HeadroomPage& page) const;

private:
    struct Sized {
        pid_t pid;
        Bytes rss;
    };
    std::vector<Sized> by_size() const;
    bool signal(pid_t pid) const;

    const ProcessTree* tree_;
};

}  // namespace holdfast
