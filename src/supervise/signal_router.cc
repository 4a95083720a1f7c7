#include "supervise/signal_router.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <new>

#include "base/text.h"
#include "base/unique_fd.h"
#include "record/mask.h"
#include "sources/pid_command.h"
#include "sources/pid_figures.h"
#include "sources/process_dir.h"
#include "supervise/crash_mark.h"

namespace holdfast {

Result<SignalInbox> SignalInbox::open() {
    SignalInbox inbox;
    sigset_t all;
    sigfillset(&all);
    inbox.fd_.reset(::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!inbox.fd_) return Error::from_errno("cannot open a signalfd");
    return inbox;
}

SignalInbox::Signals SignalInbox::take() {
    Signals arrived;
    sigset_t faults;
    sigemptyset(&faults);
    bool any_fault = false;
    while (arrived.count < arrived.all.size()) {
        signalfd_siginfo& one = arrived.all[arrived.count];
        if (::read(fd_.get(), &one, sizeof one) != static_cast<ssize_t>(sizeof one)) break;
        ++arrived.count;
        for (const int number : fault_signals)
            if (one.ssi_signo == static_cast<unsigned>(number)) {
                sigaddset(&faults, number);
                any_fault = true;
            }
    }
    // The crash handler blocked the signal to send it here.
    if (any_fault) ::sigprocmask(SIG_UNBLOCK, &faults, nullptr);
    return arrived;
}

namespace {

// The kernel also signals limits that we reached ourselves, such as a box larger than `ulimit -f`
// allows. Do not pass that on: it would end a program that did nothing wrong.
bool about_ourselves(const signalfd_siginfo& one) {
    const auto number = static_cast<int>(one.ssi_signo);
    if (number == SIGXFSZ) return static_cast<pid_t>(one.ssi_pid) == ::getpid();
    return number == SIGXCPU && one.ssi_code == SI_KERNEL;
}

// Window size, job control, timers: no verdict needs them.
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

// nohup: such a signal changes nothing.
bool ignores(const sources::Roots& roots, pid_t program, int number) {
    const auto dir = sources::ProcessDir::open(roots, program);
    if (!dir) return false;
    const auto status = sources::read_pid_status(dir->fd());
    return status && status->ignored && (*status->ignored >> (number - 1) & 1U) != 0;
}

bool has_terminal() {
    const UniqueFd terminal(::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    return static_cast<bool>(terminal);
}

}  // namespace

bool concerns_program(int number) { return number != SIGCHLD && number != SIGPIPE; }

// The order matters. The sentry's pending signals are removed before our own inbox is read. A
// second signal of the same kind that arrives in between then merges with the first in our inbox,
// as it does in the program. In the other order, the sentry's copy would be removed together with
// the first, and the second would look as if it had been sent to us alone.
void SignalRouter::route(Nanos now, SignalInbox& inbox, const Child& program) {
    for (;;) {
        const SignalBits taken = take_off_sentry(~SignalBits{0});
        const SignalInbox::Signals arrived = inbox.take();
        SignalBits kinds = 0;
        for (const signalfd_siginfo& one : arrived)
            kinds |= signal_bit(static_cast<int>(one.ssi_signo));
        SignalBits group = (taken | expected(now)) & kinds;
        // The sentry's copy comes first: ours may be on its way still.
        expect(now, taken & ~kinds, kinds);
        if (arrived.empty()) return;
        // No failure of ours may keep a signal from the program: so each is forwarded before
        // anything is recorded, and also if the sentry cannot be asked.
        try {
            if (group != 0) expect(now, take_off_sentry(group), 0);
            if (const SignalBits unsure = kinds & ~group & ~signal_bit(SIGCHLD); unsure != 0) {
                // A group kill is complete before we wake. A service manager that walks over all
                // processes of a cgroup, killing one by one, may need a moment to reach the sentry.
                ::poll(nullptr, 0, 5);
                group |= take_off_sentry(unsure);
            }
        } catch (const std::bad_alloc&) {
            forward(arrived, group, program);
            throw;
        }
        forward(arrived, group, program);
        record(now, arrived, group, program);
    }
}

SignalBits SignalRouter::take_off_sentry(SignalBits kinds) {
    if (sentry_ == nullptr) return 0;
    const SignalBits pending = sentry_->pending() & kinds;
    if (pending != 0) sentry_->take_off(pending);
    return pending;
}

SignalBits SignalRouter::expected(Nanos now) const {
    return now < expected_until_ ? expected_ : SignalBits{0};
}

void SignalRouter::expect(Nanos now, SignalBits kinds, SignalBits no_more) {
    expected_ = (expected(now) & ~no_more) | kinds;
    expected_until_ = now + std::chrono::milliseconds(20);
}

bool SignalRouter::is_for_program(const signalfd_siginfo& one) const {
    const int number = static_cast<int>(one.ssi_signo);
    if (!concerns_program(number) || about_ourselves(one)) return false;
    const auto sender = static_cast<pid_t>(one.ssi_pid);
    return sentry_ == nullptr || sender != sentry_->pid() || number != SIGCONT;
}

bool SignalRouter::reached_group(const signalfd_siginfo& one, SignalBits group) const {
    if (sentry_ == nullptr) return one.ssi_code > 0;
    return (group & signal_bit(static_cast<int>(one.ssi_signo))) != 0;
}

void SignalRouter::forward(const SignalInbox::Signals& arrived, SignalBits group,
                           const Child& program) const {
    for (const signalfd_siginfo& one : arrived) {
        if (!is_for_program(one) || reached_group(one, group)) continue;
        const int number = static_cast<int>(one.ssi_signo);
        if (one.ssi_code == SI_QUEUE)
            program.queue(number, reinterpret_cast<void*>(one.ssi_ptr));
        else
            program.send(number);
    }
}

void SignalRouter::record(Nanos now, const SignalInbox::Signals& arrived, SignalBits group,
                          const Child& program) const {
    for (const signalfd_siginfo& one : arrived) {
        const int number = static_cast<int>(one.ssi_signo);
        if (!is_for_program(one) || !worth_recording(number) ||
            ignores(*roots_, program.pid(), number))
            continue;
        const bool from_kernel = one.ssi_code > 0;
        const auto sender = static_cast<pid_t>(one.ssi_pid);
        events_->signal(now, {.number = number,
                              .sender_pid = from_kernel ? 0 : sender,
                              .sender_uid = one.ssi_uid,
                              .from_kernel = from_kernel,
                              .whole_group = reached_group(one, group),
                              .sender = from_kernel ? "" : command_of(*roots_, sender)});
    }
}

void SignalRouter::stop_with(const Child& program, int signal) {
    // Without a terminal nobody waits for us to stop, and nobody would continue us.
    if (sentry_ == nullptr || !has_terminal()) return;
    sentry_->wake_us_when_running(program.pid());
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    const auto before = ::signal(signal, SIG_DFL);
    ::raise(signal);
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);  // stops here until somebody continues us
    ::sigprocmask(SIG_BLOCK, &one, nullptr);
    if (before != SIG_ERR && signal != SIGSTOP) ::signal(signal, before);
    sentry_->stand_down();
}

}  // namespace holdfast
