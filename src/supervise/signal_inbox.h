// Signals sent to the supervisor, read as data: blocked for the supervisor, as they were for the
// program it starts.
#pragma once

#include <sys/signalfd.h>

#include <csignal>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

class SignalInbox {
public:
    // Blocks every signal and keeps the mask found, which the program must get.
    static Result<SignalInbox> open();

    int fd() const { return fd_.get(); }
    // Everything that has arrived so far; never waits.
    std::vector<signalfd_siginfo> take();
    const sigset_t& mask_at_start() const { return mask_at_start_; }

private:
    UniqueFd fd_;
    sigset_t mask_at_start_{};
};

}  // namespace holdfast
