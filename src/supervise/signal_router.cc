#include "supervise/signal_router.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "base/text.h"
#include "base/unique_fd.h"
#include "record/mask.h"
#include "sources/pid_cmdline.h"
#include "sources/process_dir.h"

namespace holdfast {
namespace {

// SIGCHLD is ours; the rest is the program's.
bool concerns_program(int number) { return number != SIGCHLD && number != SIGPIPE; }

// Window size, job control, timers: nobody asks a verdict about them.
bool worth_recording(int number) {
    switch (number) {
    case SIGWINCH:
    case SIGCONT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGURG:
    case SIGIO: return false;
    default: return true;
    }
}

std::string command_of(const sources::Roots& roots, pid_t pid) {
    if (pid <= 0) return {};
    auto dir = sources::ProcessDir::open(roots, pid);
    if (!dir) return {};
    if (const auto words = sources::read_pid_cmdline(dir->fd()); words && !words->empty())
        return printable(command_line(mask_command(*words)));
    const auto stat = dir->stat();
    return stat ? printable(stat->comm) : std::string();
}

bool has_terminal() {
    const UniqueFd terminal(::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    return static_cast<bool>(terminal);
}

}  // namespace

void SignalRouter::route(Nanos now, const std::vector<signalfd_siginfo>& arrived, pid_t program) {
    SignalBits wanted = 0;
    for (const signalfd_siginfo& one : arrived)
        if (concerns_program(static_cast<int>(one.ssi_signo)))
            wanted |= signal_bit(static_cast<int>(one.ssi_signo));
    if (wanted == 0) return;
    const SignalBits group = reached_the_group(wanted);
    for (const signalfd_siginfo& one : arrived) {
        const int number = static_cast<int>(one.ssi_signo);
        if (!concerns_program(number)) continue;
        const auto sender = static_cast<pid_t>(one.ssi_pid);
        if (sentinel_ != nullptr && sender == sentinel_->pid() && number == SIGCONT) continue;
        const bool from_kernel = one.ssi_code > 0;
        const bool whole_group =
            sentinel_ != nullptr ? (group & signal_bit(number)) != 0 : from_kernel;
        if (!whole_group) {
            if (one.ssi_code == SI_QUEUE) {
                sigval value{};
                value.sival_ptr = reinterpret_cast<void*>(one.ssi_ptr);
                ::sigqueue(program, number, value);
            } else {
                ::kill(program, number);
            }
        }
        if (worth_recording(number))
            events_->signal(now, {.number = number,
                                  .sender_pid = from_kernel ? 0 : sender,
                                  .sender_uid = one.ssi_uid,
                                  .from_kernel = from_kernel,
                                  .whole_group = whole_group,
                                  .sender = from_kernel ? "" : command_of(*roots_, sender)});
    }
}

SignalBits SignalRouter::reached_the_group(SignalBits wanted) {
    if (sentinel_ == nullptr) return 0;
    SignalBits group = sentinel_->pending() & wanted;
    // A group kill is complete before we wake. A service manager that walks over all processes of a
    // cgroup, killing one after the other, may need a moment to come to the sentinel.
    if (group != wanted) {
        ::poll(nullptr, 0, 5);
        group = sentinel_->pending() & wanted;
    }
    if (group != 0) sentinel_->take_off(group);
    return group;
}

void SignalRouter::stop_with(pid_t program, int signal) {
    // Without a terminal nobody waits for us to stop, and nobody would continue us.
    if (sentinel_ == nullptr || !has_terminal()) return;
    sentinel_->wake_us_when_running(program);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    const auto before = ::signal(signal, SIG_DFL);
    ::raise(signal);
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);  // stopped here, until somebody continues us
    ::sigprocmask(SIG_BLOCK, &one, nullptr);
    if (before != SIG_ERR && signal != SIGSTOP) ::signal(signal, before);
    sentinel_->stand_down();
}

}  // namespace holdfast
