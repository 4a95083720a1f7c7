#include "supervise/bystander.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

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

std::optional<unsigned> lowest_from(std::initializer_list<int> fds, unsigned first) {
    std::optional<unsigned> lowest;
    for (const int fd : fds)
        if (fd >= 0 && static_cast<unsigned>(fd) >= first &&
            (!lowest || static_cast<unsigned>(fd) < *lowest))
            lowest = static_cast<unsigned>(fd);
    return lowest;
}

}  // namespace

void become_bystander(const char* name, std::initializer_list<int> keep) {
    // Allocates nothing: a helper must start even when memory is out.
    unsigned next = 0;
    while (const auto kept = lowest_from(keep, next)) {
        if (*kept > next) close_between(next, *kept - 1);
        next = *kept + 1;
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
