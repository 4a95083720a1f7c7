// Signals sent to the supervisor, read as data.
#pragma once

#include <sys/signalfd.h>

#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

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

}  // namespace holdfast
