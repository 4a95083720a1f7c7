#include "supervise/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "supervise/bystander.h"

namespace holdfast {
namespace {

constexpr int all_written = 0;
constexpr int reader_gone = 3;
constexpr std::size_t chunk = 256U << 10U;

// Fills `pipe_ends` with a pipe that can hold a chunk, or what the system allows.
bool make_pipe(int (&pipe_ends)[2]) {
    if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return false;
    ::fcntl(pipe_ends[1], F_SETPIPE_SZ, static_cast<int>(chunk));
    return true;
}

void wait_for(int fd, short events, int other, short other_events) {
    std::array<pollfd, 2> wait{{{fd, events, 0}, {other, other_events, 0}}};
    ::poll(wait.data(), other >= 0 ? 2 : 1, -1);
}

// True once the far side of `fd` has no reader any more.
bool no_reader(int fd) {
    pollfd look{fd, 0, 0};
    return ::poll(&look, 1, 0) == 1 && (look.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

class Pump {
public:
    Pump(OutputBox& box, int source, int target) : box_(&box), source_(source), target_(target) {}

    int run() {
        int side[2];
        if (!make_pipe(side)) return 1;
        for (;;) {
            const ssize_t seen = ::tee(source_, side[1], chunk, SPLICE_F_NONBLOCK);
            if (seen == 0) return all_written;
            if (seen < 0) {
                if (errno != EAGAIN && errno != EINTR) return 1;
                // An idle program whose reader leaves must meet a broken pipe at its next write.
                wait_for(source_, POLLIN, target_, 0);
                if (no_reader(target_)) return reader_gone;
                continue;
            }
            // Kept before it is handed on: then an empty pipe means both are done.
            keep(side[0], static_cast<std::size_t>(seen));
            if (const int failed = hand_on(static_cast<std::size_t>(seen)); failed != 0)
                return failed;
        }
    }

private:
    void keep(int side, std::size_t amount) {
        while (amount > 0) {
            const ssize_t got = ::read(side, buffer_.data(), std::min(amount, buffer_.size()));
            if (got <= 0) return;
            box_->append({buffer_.data(), static_cast<std::size_t>(got)});
            amount -= static_cast<std::size_t>(got);
        }
    }

    int hand_on(std::size_t amount) {
        while (amount > 0) {
            const ssize_t moved =
                can_splice_ ? ::splice(source_, nullptr, target_, nullptr, amount, SPLICE_F_MOVE)
                            : copy(amount);
            if (moved > 0) {
                amount -= static_cast<std::size_t>(moved);
                box_->delivered(static_cast<std::size_t>(moved));
            } else if (moved < 0 && errno == EINVAL && can_splice_) {
                can_splice_ = false;  // a device that knows no splice
            } else if (moved < 0 && errno == EAGAIN) {
                wait_for(target_, POLLOUT, -1, 0);  // somebody made our stderr non-blocking
            } else if (moved < 0 && errno == EINTR) {
                continue;
            } else {
                return moved < 0 && errno == EPIPE ? reader_gone : 1;
            }
        }
        return 0;
    }

    // read and write: here a relay killed in between does lose what it holds.
    ssize_t copy(std::size_t amount) {
        const ssize_t got = ::read(source_, buffer_.data(), std::min(amount, buffer_.size()));
        for (ssize_t done = 0; done < got;) {
            const ssize_t put =
                ::write(target_, buffer_.data() + done, static_cast<std::size_t>(got - done));
            if (put >= 0)
                done += put;
            else if (errno == EAGAIN)
                wait_for(target_, POLLOUT, -1, 0);
            else if (errno != EINTR)
                return -1;
        }
        return got;
    }

    OutputBox* box_;
    int source_;
    int target_;
    bool can_splice_ = true;
    std::array<std::byte, 64U << 10U> buffer_{};
};

}  // namespace

Result<Relay> Relay::start(OutputBox& box, int target) {
    Relay relay;
    relay.box_ = &box;
    relay.target_ = target;
    int ends[2];
    if (!make_pipe(ends)) return Error::from_errno("cannot make a pipe");
    relay.reader_.reset(ends[0]);
    relay.writer_.reset(ends[1]);
    if (const Status spawned = relay.spawn(); !spawned) return spawned.error();
    return relay;
}

Status Relay::spawn() {
    auto child = Child::start([this] {
        // A session of its own: signals for the program's group, SIGKILL among them, pass it by.
        ::setsid();
        become_bystander("holdfast-relay", {reader_.get(), target_});
        return Pump(*box_, reader_.get(), target_).run();
    });
    if (!child) return child.error();
    child_ = std::move(child).value();
    return Done{};
}

void Relay::on_end(int wait_status) {
    child_.forget();
    const bool wanted = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != 1;
    if (wanted || !spawn()) reader_.reset();
}

void Relay::flush() const {
    int waiting = 0;
    if (!child_ || !reader_ || ::ioctl(reader_.get(), FIONREAD, &waiting) != 0) return;
    // A daemon left behind may go on writing for ever, so not until the pipe is empty at any price:
    // what was in it has surely passed when that much, and two chunks in flight, went through.
    const std::uint64_t surely =
        box_->delivered_total() + static_cast<std::uint64_t>(waiting) + 2 * chunk;
    while (waiting > 0 && box_->delivered_total() < surely) {
        if (child_.has_ended()) return;
        ::poll(nullptr, 0, 1);
        if (::ioctl(reader_.get(), FIONREAD, &waiting) != 0) return;
    }
}

}  // namespace holdfast
