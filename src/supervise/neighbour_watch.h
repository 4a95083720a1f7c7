// The other large processes of the machine: when memory runs out, one of them may be the reason.
#pragma once

#include <functional>
#include <vector>

#include "base/time.h"
#include "record/section_writer.h"
#include "sources/process_dir.h"
#include "sources/roots.h"

namespace holdfast {

class NeighbourWatch {
public:
    using IsOurs = std::function<bool(pid_t)>;
    using SharesLimit = std::function<bool(int process_dir)>;

    NeighbourWatch(const sources::Roots& roots, TableWriter<format::Neighbour>& table)
        : roots_(&roots), table_(&table) {}

    // Makes one small read per process of the machine: call it now and then, and more often when
    // memory is short.
    void look(Nanos now, const IsOurs& is_ours, const SharesLimit& shares_limit);
    // Those that shared our limit at the last look and have ended since.
    std::vector<pid_t> gone() const;

private:
    const sources::Roots* roots_;
    TableWriter<format::Neighbour>* table_;
    std::vector<sources::ProcessDir> sharing_;
};

}  // namespace holdfast
