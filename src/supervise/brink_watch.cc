#include "supervise/brink_watch.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/format.h"

namespace holdfast {
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

// A notice when the usage passes a threshold, up or down. The page cache is part of the usage, so
// it may come early; the look that follows knows better.
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

// memory.events changes when the limit is run into; pressure rises before that, while the kernel
// looks for pages to take back.
void BrinkWatch::follow_v2(const CgroupAddress& cgroup) {
    UniqueFd changes(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (changes && ::inotify_add_watch(changes.get(), (cgroup.directory + "/memory.events").c_str(),
                                       IN_MODIFY) >= 0)
        add(std::move(changes));
    UniqueFd pressure = open_in(cgroup.directory, "memory.pressure", O_RDWR | O_NONBLOCK);
    // Terminated by a zero, as the kernel's documentation has it.
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

}  // namespace holdfast
