// Passes signals on to the program so that each reaches it exactly once.
#pragma once

#include <sys/signalfd.h>
#include <sys/types.h>

#include <vector>

#include "base/time.h"
#include "sources/roots.h"
#include "supervise/event_log.h"
#include "supervise/sentinel.h"

namespace holdfast {

class SignalRouter {
public:
    // `sentinel` may be null: then every signal from a program is forwarded, and none of the
    // terminal's.
    SignalRouter(const sources::Roots& roots, EventLog& events, Sentinel* sentinel)
        : roots_(&roots), events_(&events), sentinel_(sentinel) {}

    void route(Nanos now, const std::vector<signalfd_siginfo>& arrived, pid_t program);

    // The program was stopped by `signal`: stop as well, so that the shell notices, and come back
    // when either of us is continued.
    void stop_with(pid_t program, int signal);

private:
    SignalBits reached_the_group(SignalBits wanted);

    const sources::Roots* roots_;
    EventLog* events_;
    Sentinel* sentinel_;
};

}  // namespace holdfast
