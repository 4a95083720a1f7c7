#include "supervise/neighbour_watch.h"

#include "base/text.h"
#include "record/box_reader.h"
#include "record/mask.h"
#include "sources/pid_cmdline.h"
#include "sources/process_dir.h"
#include "sources/process_list.h"

namespace holdfast {

void NeighbourWatch::look(Nanos now, const IsOurs& is_ours, const SharesLimit& shares_limit) {
    // Twice the table: some of the largest are ours.
    const auto largest = sources::largest_processes(*roots_, table_->capacity() * 2);
    if (!largest) return;
    std::size_t slot = 0;
    sharing_.clear();
    for (const sources::LargeProcess& process : *largest) {
        if (slot == table_->capacity()) break;
        if (is_ours(process.pid) || process.rss < Bytes::mib(16)) continue;
        auto dir = sources::ProcessDir::open(*roots_, process.pid);
        if (!dir) continue;
        const auto stat = dir->stat();
        if (!stat) continue;
        format::Neighbour record{};
        record.last_seen = now.count();
        record.pid = process.pid;
        record.rss = process.rss.count;
        record.same_cgroup = shares_limit(dir->fd()) ? 1 : 0;
        set_fixed_text(record.name, printable(stat->comm));
        if (const auto words = sources::read_pid_cmdline(dir->fd()))
            set_fixed_text(record.command, printable(command_line(mask_command(*words))));
        table_->put(slot++, record);
        if (record.same_cgroup != 0) sharing_.push_back(std::move(dir).value());
    }
    for (; slot < table_->capacity(); ++slot) table_->clear(slot);
}

std::vector<pid_t> NeighbourWatch::gone() const {
    std::vector<pid_t> pids;
    for (const sources::ProcessDir& dir : sharing_) {
        const auto stat = sources::read_pid_stat(dir.fd());
        if (!stat || stat->state == 'Z' || stat->virtual_size == Bytes{}) pids.push_back(dir.pid());
    }
    return pids;
}

}  // namespace holdfast
