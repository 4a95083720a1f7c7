#include "supervise/bystander.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace holdfast {
namespace {

void close_between(unsigned first, unsigned last) {
    if (first > last) return;
    if (::syscall(SYS_close_range, first, last, 0) == 0) return;
    // No close_range() before Linux 5.9. The limit may be a billion, but at our start no descriptor
    // is that high.
    const unsigned end = std::min(last, 65536U);
    for (unsigned fd = first; fd <= end; ++fd) ::close(static_cast<int>(fd));
}

}  // namespace

void become_bystander(const char* name, std::initializer_list<int> keep) {
    std::vector<unsigned> kept;
    for (const int fd : keep)
        if (fd >= 0) kept.push_back(static_cast<unsigned>(fd));
    std::sort(kept.begin(), kept.end());
    unsigned next = 0;
    for (const unsigned fd : kept) {
        if (fd > next) close_between(next, fd - 1);
        next = fd + 1;
    }
    close_between(next, ~0U);
    // Something must occupy 0 to 2, or the next file that we open becomes somebody's stderr.
    for (int fd = ::open("/dev/null", O_RDWR); fd >= 0 && fd < 2;) fd = ::open("/dev/null", O_RDWR);
    if (::chdir("/") != 0) {
    }  // we may not enter the root: stay here
    ::prctl(PR_SET_NAME, name);
}

void Errands::add(Child child) {
    if (child) running_.push_back(std::move(child));
}

void Errands::forget(pid_t pid) {
    std::erase_if(running_, [pid](const Child& child) { return child.pid() == pid; });
}

void Errands::end_all() {
    for (Child& child : running_) child.end();
    running_.clear();
}

}  // namespace holdfast
