#include "supervise/brink.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/child.h"
#include "base/format.h"
#include "sources/pid_stat.h"

namespace holdfast {

Bytes BrinkPace::floor_of(Bytes limit, std::optional<Bytes> reserve) {
    if (reserve) return *reserve;
    // As in agent/guard/kept_back.h, except for the larger share of file pages.
    const Bytes share = std::clamp(Bytes{limit.count / 160}, Bytes::mib(1), Bytes::mib(32));
    const Bytes files = std::min(Bytes{limit.count / 80}, Bytes::mib(32));
    return std::max(share, files);
}

BrinkPace::Step BrinkPace::next(Nanos now, Bytes room, Bytes limit, std::optional<Bytes> reserve) {
    bool grew = false;
    if (last_room_ && now > last_look_) {
        grew = room < *last_room_;
        const double climbed = grew ? static_cast<double>((*last_room_ - room).count) : 0;
        bytes_per_second_ = std::max(climbed / seconds(now - last_look_), bytes_per_second_ * 0.9);
    }
    last_room_ = room;
    last_look_ = now;
    if (room >= zone_of(limit)) return {};
    const Bytes floor = floor_of(limit, reserve);
    Step step{slowest, grew && room < floor ? Call::now : Call::none};
    if (bytes_per_second_ < 1.0) return step;
    // A quarter of the time that is left, at the rate of growth.
    const double left = room > floor ? static_cast<double>((room - floor).count) : 0;
    const double wait = left / bytes_per_second_ / 4;
    if (grew && step.call == Call::none && left < bytes_per_second_ * seconds(ahead))
        step.call = Call::soon;
    if (wait < seconds(slowest))
        step.look_again = std::max<Nanos>(
            std::chrono::duration_cast<Nanos>(std::chrono::duration<double>(wait)), fastest);
    return step;
}

namespace {

constexpr std::size_t most_followed = 8;

UniqueFd open_in(const std::string& directory, const char* name, int flags) {
    return UniqueFd(::open((directory + "/" + name).c_str(), flags | O_CLOEXEC));
}

bool write_text(const UniqueFd& file, const std::string& text) {
    return file &&
           ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

void BrinkWatch::follow(const std::vector<CgroupAddress>& cgroups) {
    for (const CgroupAddress& cgroup : cgroups) {
        if (cgroup.directory.empty() || !cgroup.limit || followed_.size() >= most_followed)
            continue;
        if (std::find(followed_.begin(), followed_.end(), cgroup.membership) != followed_.end())
            continue;
        followed_.push_back(cgroup.membership);
        if (cgroup.version == 1)
            follow_v1(cgroup);
        else
            follow_v2(cgroup);
    }
}

// v1 notifies us when usage crosses a threshold, up or down. The usage includes the page cache, so
// the notice may come early; the look that follows finds the truth.
void BrinkWatch::follow_v1(const CgroupAddress& cgroup) {
    const UniqueFd control = open_in(cgroup.directory, "cgroup.event_control", O_WRONLY);
    const UniqueFd usage = open_in(cgroup.directory, "memory.usage_in_bytes", O_RDONLY);
    if (!control || !usage) return;
    for (const std::uint64_t times : {4U, 2U, 1U}) {
        UniqueFd notice(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        if (!notice) return;
        const Bytes threshold =
            *cgroup.limit - Bytes{BrinkWatch::brink_of(*cgroup.limit).count * times};
        if (write_text(control, formatted("{} {} {}", notice.get(), usage.get(), threshold.count)))
            add(std::move(notice));
    }
}

// memory.events changes when the limit is hit. Pressure rises before that, while the kernel looks
// for pages to reclaim.
void BrinkWatch::follow_v2(const CgroupAddress& cgroup) {
    UniqueFd changes(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (changes && ::inotify_add_watch(changes.get(), (cgroup.directory + "/memory.events").c_str(),
                                       IN_MODIFY) >= 0)
        add(std::move(changes));
    UniqueFd pressure = open_in(cgroup.directory, "memory.pressure", O_RDWR | O_NONBLOCK);
    // The kernel's documentation asks for the terminating zero.
    if (write_text(pressure, std::string("some 20000 500000\0", 18))) add(std::move(pressure));
}

void BrinkWatch::add(UniqueFd fd) { fds_.push_back(std::move(fd)); }

std::vector<int> BrinkWatch::take_new_fds() {
    std::vector<int> fresh;
    for (; handed_out_ < fds_.size(); ++handed_out_) fresh.push_back(fds_[handed_out_].get());
    return fresh;
}

void BrinkWatch::drain() {
    std::array<char, 1024> unread{};
    for (const UniqueFd& fd : fds_)
        if (::read(fd.get(), unread.data(), unread.size()) < 0) continue;
}

namespace {

// Whether the main thread runs, or other threads of the process may.
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
        if (member == nullptr) return;  // not one of our processes
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
