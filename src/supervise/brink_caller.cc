#include "supervise/brink_caller.h"

#include <csignal>

#include "base/child.h"
#include "sources/pid_stat.h"
#include "sources/pid_statm.h"

namespace holdfast {
namespace {

// Of the main thread, whose state the process shows.
bool runs(int process_dir) {
    const auto stat = sources::read_pid_stat(process_dir);
    return stat && stat->state == 'R';
}

}  // namespace

pid_t BrinkCaller::largest() const {
    pid_t found = 0;
    Bytes most;
    for (const pid_t pid : tree_->living()) {
        const auto size = sources::read_pid_statm(tree_->directory_of(pid));
        if (!size || size->rss <= most) continue;
        most = size->rss;
        found = pid;
    }
    return found;
}

void BrinkCaller::call(HeadroomPage& page, bool certain) const {
    constexpr int deepest = 64;
    pid_t pid = largest();
    for (int i = 0; i < deepest; ++i) {
        const format::Process* member = tree_->member(pid);
        if (member == nullptr) return;  // nobody of ours
        if (page.listens(pid)) break;
        pid = member->parent;
    }
    const auto still_it = [&] { return tree_->member(pid) != nullptr; };
    if (!still_it() || !page.listens(pid)) return;
    if (!certain && !runs(tree_->directory_of(pid))) return;
    if (const auto process = ProcessHandle::open(pid, still_it)) process->send(SIGURG);
}

}  // namespace holdfast
