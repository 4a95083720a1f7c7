// Lets the kernel notify us when a cgroup comes close to its limit: polling would be too late,
// because touched memory can grow by one or two gigabytes a second.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "supervise/cgroup_watch.h"

namespace holdfast {

class BrinkWatch {
public:
    // From here on it is the brink: a sixteenth part of the limit is left.
    static Bytes brink_of(Bytes limit) { return {limit.count / 16}; }

    // Asks the kernel for notices about every new chain. Without the right to do so (v1 needs root,
    // v2 a cgroup of one's own) there are none, and the supervisor's own looks must be enough.
    void follow(const std::vector<CgroupAddress>& cgroups);

    // Descriptors to wait on that are new since the last call; readable or urgent when memory is
    // tight.
    std::vector<int> take_new_fds();
    // After one of them woke us: makes them quiet again.
    void drain();

private:
    void follow_v1(const CgroupAddress& cgroup);
    void follow_v2(const CgroupAddress& cgroup);
    void add(UniqueFd fd);

    std::vector<std::string> followed_;
    std::vector<UniqueFd> fds_;
    std::size_t handed_out_ = 0;
};

}  // namespace holdfast
