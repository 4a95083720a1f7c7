#include "supervise/sentinel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>

#include "base/read_file.h"
#include "sources/pid_stat.h"
#include "sources/pid_status.h"
#include "supervise/bystander.h"

namespace holdfast {
namespace {

struct Request {
    char operation = 0;  // 't'ake off, 'w'atch a pid, 's'tand down
    std::uint64_t argument = 0;
};

void take_off_pending(SignalBits signals) {
    sigset_t set;
    sigemptyset(&set);
    for (int number = 1; number <= 64; ++number)
        if ((signals & signal_bit(number)) != 0) sigaddset(&set, number);
    const timespec at_once{};
    while (::sigtimedwait(&set, nullptr, &at_once) > 0) {
    }
}

bool stopped(pid_t pid) {
    const auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
    if (!text) return false;
    const auto stat = sources::parse_pid_stat(*text);
    return stat && (stat->state == 'T' || stat->state == 't');
}

[[noreturn]] void stand_watch(int channel, pid_t supervisor) {
    pid_t watched = 0;
    for (;;) {
        pollfd wait{channel, POLLIN, 0};
        const int ready = ::poll(&wait, 1, watched != 0 ? 100 : -1);
        if (ready == 0 && watched != 0 && !stopped(watched)) ::kill(supervisor, SIGCONT);
        if (ready <= 0) continue;
        Request request;
        if (::recv(channel, &request, sizeof request, 0) != static_cast<ssize_t>(sizeof request))
            ::_exit(0);  // the supervisor is gone
        if (request.operation == 't') take_off_pending(request.argument);
        if (request.operation == 'w') watched = static_cast<pid_t>(request.argument);
        if (request.operation == 's') watched = 0;
        const char done = 1;
        if (::send(channel, &done, 1, MSG_NOSIGNAL) != 1) ::_exit(0);
    }
}

}  // namespace

Result<Sentinel> Sentinel::start() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return Error::from_errno("cannot make a socket pair");
    Sentinel sentinel;
    sentinel.channel_.reset(ends[0]);
    UniqueFd theirs(ends[1]);
    const pid_t supervisor = ::getpid();
    sentinel.pid_ = ::fork();
    if (sentinel.pid_ < 0) return Error::from_errno("cannot fork");
    if (sentinel.pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != supervisor) ::_exit(0);
        become_bystander("holdfast-sentry", {theirs.get()});
        stand_watch(theirs.get(), supervisor);
    }
    return sentinel;
}

Sentinel::~Sentinel() {
    if (!channel_) return;  // moved from
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

SignalBits Sentinel::pending() const {
    if (!channel_) return 0;
    const auto text = read_file("/proc/" + std::to_string(pid_) + "/status");
    if (!text) return 0;
    const auto status = sources::parse_pid_status(*text);
    return status ? status->pending_process.value_or(0) | status->pending_thread.value_or(0) : 0;
}

void Sentinel::take_off(SignalBits signals) { ask('t', signals); }

void Sentinel::wake_us_when_running(pid_t program) {
    ask('w', static_cast<std::uint64_t>(program));
}

void Sentinel::stand_down() { ask('s', 0); }

// A score counts for a thousandth of the limit. Ours must be the largest beside the program's, and
// not more: below another limit, the machine's, it counts for much more.
void Sentinel::stand_in_for_us(Bytes limit) {
    constexpr Bytes more_than_we_hold = Bytes::mib(12);
    constexpr long most = 500;
    const auto thousandths = static_cast<long>(more_than_we_hold.count * 1000 / (limit.count + 1));
    const long offer = std::min(thousandths + 1, most);
    if (!channel_ || offer == offered_) return;
    const std::string path = "/proc/" + std::to_string(pid_) + "/oom_score_adj";
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    const std::string text = std::to_string(offer);
    if (file && ::write(file.get(), text.data(), text.size()) > 0) offered_ = offer;
}

void Sentinel::forget() {
    channel_.reset();
    pid_ = -1;
}

bool Sentinel::ask(char operation, std::uint64_t argument) {
    if (!channel_) return false;
    const Request request{operation, argument};
    if (::send(channel_.get(), &request, sizeof request, MSG_NOSIGNAL) < 0) return false;
    // Bounded: a sentinel that somebody stopped must not stop the supervisor.
    pollfd wait{channel_.get(), POLLIN, 0};
    char done = 0;
    return ::poll(&wait, 1, 200) == 1 && ::recv(channel_.get(), &done, 1, 0) == 1;
}

}  // namespace holdfast
