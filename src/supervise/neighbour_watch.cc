#include "supervise/neighbour_watch.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "record/box_reader.h"
#include "record/mask.h"
#include "sources/pid_command.h"
#include "sources/process_dir.h"
#include "sources/process_list.h"

namespace holdfast {
namespace {

// Jupyter puts the notebook's path into its kernel's environment.
constexpr std::string_view notebook_variable[] = {"JPY_SESSION_NAME"};

bool is_kernel(const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word.starts_with("ipykernel") ||
               (word.ends_with(".json") && word.find("/kernel-") != std::string::npos);
    });
}

// A neighbour's name: for a kernel the notebook, else the command line.
std::string called(int process_dir, const std::vector<std::string>& words) {
    if (is_kernel(words))
        if (const auto found = sources::read_pid_environ(process_dir, notebook_variable);
            found && !found->empty() && !found->front().value.empty()) {
            const std::string& path = found->front().value;
            return "the notebook " + path.substr(path.rfind('/') + 1);
        }
    return command_line(mask_command(words));
}

}  // namespace

void NeighbourWatch::look(Nanos now, const IsOurs& is_ours, const SharesLimit& shares_limit) {
    // Asks for twice as many as fit, because some of the largest are ours.
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
            set_fixed_text(record.command, printable(called(dir->fd(), *words)));
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
