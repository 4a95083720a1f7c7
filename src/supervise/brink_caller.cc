#include "supervise/brink_caller.h"

#include <algorithm>
#include <csignal>

#include "base/child.h"
#include "sources/pid_stat.h"

namespace holdfast {
namespace {

// Whether the main thread runs, or others of its process may.
bool may_grow(int process_dir) {
    const auto stat = sources::read_pid_stat(process_dir);
    return stat && (stat->state == 'R' || stat->threads > 1);
}

}  // namespace

std::vector<BrinkCaller::Sized> BrinkCaller::by_size() const {
    std::vector<Sized> found;
    for (const pid_t pid : tree_->living())
        if (const auto size = sources::read_pid_statm(tree_->directory_of(pid)))
            found.push_back({pid, size->rss});
    std::sort(found.begin(), found.end(),
              [](const Sized& a, const Sized& b) { return a.rss > b.rss; });
    return found;
}

bool BrinkCaller::signal(pid_t pid) const {
    const auto still_it = [&] { return tree_->member(pid) != nullptr; };
    const auto process = ProcessHandle::open(pid, still_it);
    return process && process->send(SIGURG);
}

void BrinkCaller::call(HeadroomPage& page) const {
    constexpr int deepest = 64;
    const std::vector<Sized> all = by_size();
    pid_t pid = all.empty() ? 0 : all.front().pid;
    for (int i = 0; i < deepest; ++i) {
        const format::Process* member = tree_->member(pid);
        if (member == nullptr) return;  // none of our processes
        if (page.listens(pid)) break;
        pid = member->parent;
    }
    if (page.listens(pid)) signal(pid);
}

void BrinkCaller::announce(HeadroomPage& page) const {
    const std::vector<Sized> all = by_size();
    for (const Sized& one : all)
        if (one.rss.count * 4 >= all.front().rss.count && page.listens(one.pid) &&
            may_grow(tree_->directory_of(one.pid)))
            signal(one.pid);
}

}  // namespace holdfast
