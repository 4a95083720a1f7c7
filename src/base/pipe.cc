#include "base/pipe.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace holdfast {

Result<Pipe> Pipe::make() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("cannot make a pipe");
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(fd, text.data(), text.size());
        if (put > 0) {
            text.remove_prefix(static_cast<std::size_t>(put));
        } else if (put < 0 && errno == EAGAIN) {
            pollfd ready{fd, POLLOUT, 0};
            ::poll(&ready, 1, -1);
        } else if (put == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool write_within(int fd, std::string_view text, Nanos patience) {
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
    while (!text.empty()) {
        pollfd ready{fd, POLLOUT, 0};
        const int count = ::poll(&ready, 1, static_cast<int>(milliseconds));
        if (count < 0 && errno == EINTR) continue;
        if (count != 1 || (ready.revents & POLLOUT) == 0) return false;
        // At most PIPE_BUF bytes: poll() promises room for no more, and a longer write could block.
        const ssize_t put = ::write(fd, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
        if (put < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

}  // namespace holdfast
