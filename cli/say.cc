#include "say.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace holdfast::cli {

void say(std::string_view text) {
    while (!text.empty()) {
        pollfd ready{STDERR_FILENO, POLLOUT, 0};
        if (::poll(&ready, 1, 2000) != 1 || (ready.revents & POLLOUT) == 0) return;
        // No more than a pipe takes at once, or the write itself would wait.
        const ssize_t put =
            ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), 4096));
        if (put < 0 && errno != EAGAIN && errno != EINTR) return;
        if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
    }
}

}  // namespace holdfast::cli
