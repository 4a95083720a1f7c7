// Passes signals on to the program so that each reaches it exactly once.
#pragma once

#include <sys/signalfd.h>
#include <sys/types.h>

#include <vector>

#include "base/time.h"
#include "sources/roots.h"
#include "supervise/event_log.h"
#include "supervise/sentinel.h"
#include "supervise/signal_inbox.h"

namespace holdfast {

class SignalRouter {
public:
    // `sentinel` may be null: then every signal from a program is forwarded, and none of the
    // terminal's.
    SignalRouter(const sources::Roots& roots, EventLog& events, Sentinel* sentinel)
        : roots_(&roots), events_(&events), sentinel_(sentinel) {}

    void route(Nanos now, SignalInbox& inbox, pid_t program);

    // The program was stopped by `signal`: stop as well, so that the shell notices, and come back
    // when either of us is continued.
    void stop_with(pid_t program, int signal);

private:
    // Which of these kinds have reached the whole group since they were last taken off.
    SignalBits take_off_sentinel(SignalBits kinds);
    // Kinds the sentinel had and we have not seen yet.
    SignalBits expected(Nanos now) const;
    void expect(Nanos now, SignalBits kinds, SignalBits no_more);
    void pass(Nanos now, const signalfd_siginfo& one, bool reached_group, pid_t program);

    const sources::Roots* roots_;
    EventLog* events_;
    Sentinel* sentinel_;
    SignalBits expected_ = 0;
    Nanos expected_until_{};
};

}  // namespace holdfast
