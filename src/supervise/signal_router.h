// Receives the signals sent to the supervisor and passes them on, so that each reaches the program
// exactly once.
#pragma once

#include <sys/signalfd.h>

#include <array>
#include <cstddef>

#include "base/child.h"
#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "sources/roots.h"
#include "supervise/event_log.h"
#include "supervise/sentry.h"

namespace holdfast {

// Signals sent to the supervisor, read as data.
class SignalInbox {
public:
    // Every signal must be blocked, except the fault signals (see crash_mark.h).
    static Result<SignalInbox> open();

    int fd() const { return fd_.get(); }
    // What has arrived so far, or a part of it; never waits, and needs no memory: a signal that is
    // taken and then lost would never reach the program.
    struct Signals {
        std::array<signalfd_siginfo, 32> all;
        std::size_t count = 0;

        const signalfd_siginfo* begin() const { return all.data(); }
        const signalfd_siginfo* end() const { return all.data() + count; }
        bool empty() const { return count == 0; }
    };
    Signals take();

private:
    UniqueFd fd_;
};

// SIGCHLD is ours, and a SIGPIPE is about our own writing; all others are for the program.
bool concerns_program(int number);

class SignalRouter {
public:
    // `sentry` may be null: then every signal from a process is forwarded, and none from the
    // terminal.
    SignalRouter(const sources::Roots& roots, EventLog& events, Sentry* sentry)
        : roots_(&roots), events_(&events), sentry_(sentry) {}

    void route(Nanos now, SignalInbox& inbox, const Child& program);

    // The program was stopped by `signal`: stops us, too, so that the shell notices, and returns
    // when one of us is continued.
    void stop_with(const Child& program, int signal);

private:
    // Which of these kinds reached the whole group since the last call.
    SignalBits take_off_sentry(SignalBits kinds);
    // Kinds that the sentry had and that we have not got yet.
    SignalBits expected(Nanos now) const;
    void expect(Nanos now, SignalBits kinds, SignalBits no_more);
    bool is_for_program(const signalfd_siginfo& one) const;
    // Then the program has got it, too. `group`: the kinds that the sentry saw.
    bool reached_group(const signalfd_siginfo& one, SignalBits group) const;
    void forward(const SignalInbox::Signals& arrived, SignalBits group, const Child& program) const;
    void record(Nanos now, const SignalInbox::Signals& arrived, SignalBits group,
                const Child& program) const;

    const sources::Roots* roots_;
    EventLog* events_;
    Sentry* sentry_;
    SignalBits expected_ = 0;
    Nanos expected_until_{};
};

}  // namespace holdfast
