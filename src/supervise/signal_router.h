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
    // Every signal must be blocked, except those of faults (see crash_mark.h).
    static Result<SignalInbox> open();

    int fd() const { return fd_.get(); }
    // Everything that has arrived so far; never waits.
    std::vector<signalfd_siginfo> take();

private:
    UniqueFd fd_;
};

// SIGCHLD is ours, and a SIGPIPE means our own writing; the rest is the program's.
bool concerns_program(int number);

class SignalRouter {
public:
    // `sentry` may be null: then every signal from a program is forwarded, and none of the
    // terminal's.
    SignalRouter(const sources::Roots& roots, EventLog& events, Sentry* sentry)
        : roots_(&roots), events_(&events), sentry_(sentry) {}

    void route(Nanos now, SignalInbox& inbox, const Child& program);

    // The program was stopped by `signal`: stop as well, so that the shell notices, and come back
    // when either of us is continued.
    void stop_with(const Child& program, int signal);

private:
    // Which of these kinds have reached the whole group since they were last taken off.
    SignalBits take_off_sentry(SignalBits kinds);
    // Kinds the sentry had and we have not seen yet.
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
