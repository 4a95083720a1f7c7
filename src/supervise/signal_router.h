// Receives the signals sent to the supervisor and passes them on, so that each reaches the program
// exactly once.
#pragma once

#include <sys/signalfd.h>

#include <vector>

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
    // Everything that has arrived so far; never waits.
    std::vector<signalfd_siginfo> take();

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
    void pass(Nanos now, const signalfd_siginfo& one, bool reached_group, const Child& program);

    const sources::Roots* roots_;
    EventLog* events_;
    Sentry* sentry_;
    SignalBits expected_ = 0;
    Nanos expected_until_{};
};

}  // namespace holdfast
