#include "supervise/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "supervise/bystander.h"

namespace holdfast {

// Shared by all relays of a run. `phase` says what a relay was doing when it died, and what the
// other fields mean.
struct RelayState {
    enum class Phase : std::uint32_t {
        between = 0,
        writing = 1,  // may have written `piece` bytes
        written = 2,  // wrote them, and is removing them from the middle pipe
    };
    std::atomic<Phase> phase;
    std::atomic<std::uint32_t> piece;
    std::atomic<std::uint32_t> middle_before,
        target_before;            // how many bytes each pipe held
    std::atomic<bool> stuck;      // the target takes no more
    std::atomic<bool> keep_none;  // what comes now is ours: do not keep it
    std::atomic<bool> at_work;    // the relay has closed every other descriptor
};

namespace {

using Phase = RelayState::Phase;

constexpr int all_written = 0;
constexpr int failed = 1;
constexpr int reader_gone = 3;
constexpr std::size_t chunk = 64U << 10U;

std::optional<std::size_t> bytes_in(int pipe) {
    int count = 0;
    if (pipe < 0 || ::ioctl(pipe, FIONREAD, &count) != 0 || count < 0) return std::nullopt;
    return static_cast<std::size_t>(count);
}

void wait_for(int fd, short events, int other = -1) {
    std::array<pollfd, 2> wait{{{fd, events, 0}, {other, 0, 0}}};
    ::poll(wait.data(), other >= 0 ? 2 : 1, -1);
}

// Whether the pipe behind `fd` has no reader any more.
bool no_reader(int fd) {
    pollfd look{fd, 0, 0};
    return ::poll(&look, 1, 0) == 1 && (look.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

// Somebody wants us to end: stop waiting for the reader.
bool asked_to_end() {
    constexpr std::array signals{SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    sigset_t pending;
    if (::sigpending(&pending) != 0) return false;
    return std::any_of(signals.begin(), signals.end(),
                       [&](int number) { return sigismember(&pending, number) == 1; });
}

// A relay died in the middle of a piece. A kill during a system call takes effect after the call,
// so the piece was usually written. If it was not, the target holds as much as before. Checked at
// once, because a reader that takes something meanwhile hides it.
void settle_piece(RelayState& state, OutputBox& box, int target) {
    if (state.phase.load() != Phase::writing) return;
    if (bytes_in(target).value_or(0) == state.target_before.load()) {
        state.phase.store(Phase::between);
        return;
    }
    box.delivered(state.piece.load());
    state.phase.store(Phase::written);
}

class Pump {
public:
    Pump(OutputBox& box, RelayState& state, int source, const Pipe& middle, const Pipe& side,
         int target)
        : box_(&box),
          state_(&state),
          source_(source),
          middle_(&middle),
          side_(&side),
          target_(target) {
        const int flags = ::fcntl(target, F_GETFL);
        never_blocks_ = flags >= 0 && (flags & O_NONBLOCK) != 0;
    }

    int run() {
        recover();
        // What an earlier relay has kept, but not passed on.
        kept_already_ = box_->taken_total() - box_->delivered_total();
        if (const auto left = bytes_in(middle_->reader.get()); left && *left > 0)
            if (const int end = pass(*left); end != 0) return end;
        for (;;) {
            const ssize_t moved = ::splice(source_, nullptr, middle_->writer.get(), nullptr, chunk,
                                           SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
            if (moved == 0) return all_written;
            if (moved < 0) {
                if (errno != EAGAIN && errno != EINTR) return failed;
                // If the reader leaves while the program is idle, the program must get a broken
                // pipe at its next write.
                wait_for(source_, POLLIN, target_);
                if (no_reader(target_)) return reader_gone;
                continue;
            }
            if (const int end = pass(static_cast<std::size_t>(moved)); end != 0) return end;
        }
    }

private:
    // Passes on what the middle pipe holds, and keeps it before that: so empty pipes mean that both
    // are done.
    int pass(std::size_t amount) {
        while (amount > 0) {
            const ssize_t seen = ::tee(middle_->reader.get(), side_->writer.get(),
                                       std::min(amount, chunk), SPLICE_F_NONBLOCK);
            if (seen <= 0) return failed;
            std::size_t have = 0;
            while (have < static_cast<std::size_t>(seen)) {
                const ssize_t got = ::read(side_->reader.get(), buffer_.data() + have,
                                           static_cast<std::size_t>(seen) - have);
                if (got <= 0) return failed;
                have += static_cast<std::size_t>(got);
            }
            keep({buffer_.data(), have});
            if (const int end = hand_on({buffer_.data(), have}); end != 0) return end;
            amount -= std::min(amount, have);
        }
        return 0;
    }

    void keep(std::span<const std::byte> bytes) {
        const std::size_t again = std::min<std::uint64_t>(kept_already_, bytes.size());
        kept_already_ -= again;
        if (!state_->keep_none.load()) box_->append(bytes.subspan(again));
    }

    int hand_on(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const std::size_t in_target = bytes_in(target_).value_or(1);
            ssize_t moved = -1;
            if (in_target == 0)
                moved = splice_all(bytes.size());
            else
                moved = write_some(bytes, in_target);
            if (moved > 0) {
                bytes = bytes.subspan(static_cast<std::size_t>(moved));
            } else if (moved < 0 && errno == EAGAIN) {
                state_->stuck.store(true);
                wait_for(target_, POLLOUT);
                state_->stuck.store(false);
            } else if (moved < 0 && errno != EINTR) {
                return errno == EPIPE ? reader_gone : failed;
            }
        }
        return 0;
    }

    ssize_t splice_all(std::size_t amount) {
        const ssize_t moved = ::splice(middle_->reader.get(), nullptr, target_, nullptr, amount,
                                       SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
        if (moved > 0) box_->delivered(static_cast<std::size_t>(moved));
        return moved;
    }

    // Fills the target's last page first, then writes page by page. So whatever fits into the pipe
    // by its size really fits.
    ssize_t write_some(std::span<const std::byte> bytes, std::size_t in_target) {
        const std::size_t page = PIPE_BUF;
        std::size_t amount = std::min(bytes.size(), page - in_target % page);
        for (;;) {
            const ssize_t put = write_piece(bytes.first(amount), in_target);
            if (put >= 0 || errno != EAGAIN || amount == 1) return put;
            amount /= 2;
        }
    }

    // At most PIPE_BUF bytes: writes all of them, or none with EAGAIN.
    ssize_t write_piece(std::span<const std::byte> piece, std::size_t in_target) {
        state_->piece.store(static_cast<std::uint32_t>(piece.size()));
        state_->target_before.store(static_cast<std::uint32_t>(in_target));
        state_->middle_before.store(
            static_cast<std::uint32_t>(bytes_in(middle_->reader.get()).value_or(0)));
        state_->phase.store(Phase::writing);
        const ssize_t put = write_now(piece);
        const int error = errno;
        if (put > 0) {
            // Such a small piece is never written in part; if it ever is, the rest follows.
            state_->piece.store(static_cast<std::uint32_t>(put));
            state_->phase.store(Phase::written);
            box_->delivered(static_cast<std::size_t>(put));
            take_out(*middle_, static_cast<std::size_t>(put));
        }
        state_->phase.store(Phase::between);
        errno = error;
        return put;
    }

    // glibc has pwritev2 only since 2.26.
    static ssize_t write_without_waiting(int fd, const iovec& piece) {
        constexpr long where_it_stands = -1;
        return ::syscall(SYS_pwritev2, fd, &piece, 1L, where_it_stands, 0L, RWF_NOWAIT);
    }

    ssize_t write_now(std::span<const std::byte> piece) {
        if (never_blocks_) return ::write(target_, piece.data(), piece.size());
        if (knows_nowait_) {
            const iovec one{const_cast<std::byte*>(piece.data()), piece.size()};
            const ssize_t put = write_without_waiting(target_, one);
            if (put >= 0 ||
                (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS && errno != ESPIPE))
                return put;
            knows_nowait_ = false;
        }
        pollfd room{target_, POLLOUT, 0};
        if (::poll(&room, 1, 0) == 0) {
            errno = EAGAIN;
            return -1;
        }
        return ::write(target_, piece.data(), piece.size());
    }

    static void take_out(const Pipe& pipe, std::size_t amount) {
        while (amount > 0) {
            const ssize_t got =
                ::read(pipe.reader.get(), taken_out_.data(), std::min(amount, taken_out_.size()));
            if (got <= 0) return;
            amount -= static_cast<std::size_t>(got);
        }
    }

    // Removes from the middle pipe what an earlier relay wrote but did not remove, and its copies.
    void recover() {
        take_out(*side_, bytes_in(side_->reader.get()).value_or(0));
        settle_piece(*state_, *box_, target_);
        if (state_->phase.load() != Phase::written) return;
        const std::size_t piece = state_->piece.load();
        const std::size_t now = bytes_in(middle_->reader.get()).value_or(0);
        const std::size_t before = state_->middle_before.load();
        const std::size_t out = before > now ? before - now : 0;
        if (out < piece) take_out(*middle_, piece - out);
        state_->phase.store(Phase::between);
    }

    OutputBox* box_;
    RelayState* state_;
    int source_;
    const Pipe* middle_;
    const Pipe* side_;
    int target_;
    bool never_blocks_ = false;
    bool knows_nowait_ = true;
    std::uint64_t kept_already_ = 0;
    // Not on the stack, which may have only 64 KiB (`ulimit -s`).
    static inline std::array<std::byte, chunk> buffer_{};
    static inline std::array<std::byte, PIPE_BUF> taken_out_{};
};

// The same pipe, opened again: O_NONBLOCK then applies to this descriptor alone, not to everybody
// who shares the user's.
UniqueFd open_again(int fd, int how) {
    return UniqueFd(
        ::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), how | O_CLOEXEC | O_NOCTTY));
}

}  // namespace

Result<Relay> Relay::start(OutputBox& box, int target) {
    Relay relay;
    relay.box_ = &box;
    auto source = Pipe::make();
    if (!source) return source.error();
    // The same size as the user's pipe, so that the program sees no difference.
    if (const int size = ::fcntl(target, F_GETPIPE_SZ); size > 0)
        ::fcntl(source->writer.get(), F_SETPIPE_SZ, size);
    relay.reader_ = std::move(source->reader);
    relay.writer_ = std::move(source->writer);
    auto middle = Pipe::make();
    if (!middle) return middle.error();
    relay.middle_ = std::move(middle).value();
    auto side = Pipe::make();
    if (!side) return side.error();
    relay.side_ = std::move(side).value();
    relay.target_ = open_again(target, O_WRONLY | O_NONBLOCK);
    if (!relay.target_) relay.target_.reset(::fcntl(target, F_DUPFD_CLOEXEC, 3));
    if (!relay.target_) return Error::from_errno("cannot open stderr again");
    void* at = ::mmap(nullptr, sizeof(RelayState), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return Error::from_errno("cannot share memory");
    relay.state_ = new (at) RelayState{};
    if (const Status spawned = relay.spawn(); !spawned) return spawned.error();
    return relay;
}

Relay::Relay(Relay&& other) noexcept
    : box_(other.box_),
      child_(std::move(other.child_)),
      reader_(std::move(other.reader_)),
      writer_(std::move(other.writer_)),
      middle_(std::move(other.middle_)),
      side_(std::move(other.side_)),
      target_(std::move(other.target_)),
      writes_wait_(other.writes_wait_),
      state_(std::exchange(other.state_, nullptr)) {}

Relay::~Relay() {
    if (state_ != nullptr) ::munmap(state_, sizeof(RelayState));
}

void Relay::discard() { child_.end(); }

void Relay::program_ended() {
    const int flags = ::fcntl(writer_.get(), F_GETFL);
    writes_wait_ = flags < 0 || (flags & O_NONBLOCK) == 0;
    writer_.reset();
}

Status Relay::spawn() {
    state_->at_work.store(false);
    auto child = Child::start([this] {
        // Its own session: signals to the program's group, even SIGKILL, do not reach it.
        ::setsid();
        become_bystander("holdfast-relay",
                         {reader_.get(), middle_.reader.get(), middle_.writer.get(),
                          side_.reader.get(), side_.writer.get(), target_.get()});
        state_->at_work.store(true);
        return Pump(*box_, *state_, reader_.get(), middle_, side_, target_.get()).run();
    });
    if (!child) return child.error();
    child_ = std::move(child).value();
    return Done{};
}

void Relay::on_end(int wait_status) {
    child_.forget();
    settle_piece(*state_, *box_, target_.get());
    const bool wanted = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != failed;
    // Without a relay the pipe still has its reader, and the program waits until there is one
    // again.
    if (!wanted) return revive();
    reader_.reset();
    middle_ = {};
    side_ = {};
}

void Relay::revive() {
    if (!child_ && reader_) (void)spawn();
}

// Counts the source first: bytes that move meanwhile are then counted twice, not missed.
std::size_t Relay::waiting() const {
    const std::size_t in_source = bytes_in(reader_.get()).value_or(0);
    return in_source + bytes_in(middle_.reader.get()).value_or(0);
}

bool Relay::flush() {
    if (!reader_) return true;
    // A daemon that was left behind may write for ever, so do not wait until all pipes are empty.
    // What was there has passed when that many bytes, plus all that can be in flight, have passed.
    const int capacity = ::fcntl(target_.get(), F_GETPIPE_SZ);
    const std::uint64_t in_flight = chunk + static_cast<std::uint64_t>(std::max(capacity, 0));
    const std::uint64_t surely = box_->delivered_total() + waiting() + in_flight;
    std::size_t there_before = 0;
    int looks_alike = 0;
    int without_relay = 0;
    while (box_->delivered_total() < surely) {
        if (!child_) {
            // Not for ever: perhaps no process can be started any more.
            if (++without_relay > 1000) return true;
            revive();
        } else if (child_.has_ended()) {
            on_end(child_.wait_if_ended().value_or(0));
        }
        if (!reader_ || no_reader(target_.get())) return true;
        const std::size_t left = waiting();
        if (left == 0) return true;
        if (asked_to_end()) return false;
        const std::size_t there = bytes_in(target_.get()).value_or(0);
        // By its size it would fit, but nobody reads: it is our fault that it does not, and nobody
        // must wait for that. (A reader that takes single bytes does read.)
        const bool fits = capacity > 0 && there + left <= static_cast<std::size_t>(capacity);
        // The same if the program's writes never waited. Then more than usual is left, so a slow
        // reader gets more time.
        const bool our_fault = fits || !writes_wait_;
        looks_alike =
            state_->stuck.load() && our_fault && there == there_before ? looks_alike + 1 : 0;
        there_before = there;
        if (looks_alike > (fits ? 50 : 500)) return false;
        ::poll(nullptr, 0, 1);
    }
    return true;
}

void Relay::await_end() {
    const auto can_be_written_to = [this] {
        pollfd source{reader_.get(), POLLIN, 0};
        return ::poll(&source, 1, 0) != 1 || source.revents != POLLHUP;
    };
    // Wait only for a while: somebody may have stopped the relay.
    constexpr int tries = 1000;
    for (int i = 0; child_ && reader_ && i < tries && !child_.wait_if_ended(); ++i) {
        // Until it is at work, the relay itself holds a writing end.
        if (state_->at_work.load() && can_be_written_to()) return;
        ::poll(nullptr, 0, 1);
    }
}

UniqueFd Relay::behind_the_rest() {
    if (!child_ || !reader_) return UniqueFd();
    state_->keep_none.store(true);
    return open_again(reader_.get(), O_WRONLY);
}

}  // namespace holdfast
