#include "supervise/signal_inbox.h"

#include <csignal>

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

std::vector<signalfd_siginfo> SignalInbox::take() {
    std::vector<signalfd_siginfo> arrived;
    sigset_t faults;
    sigemptyset(&faults);
    bool any_fault = false;
    signalfd_siginfo one{};
    while (::read(fd_.get(), &one, sizeof one) == static_cast<ssize_t>(sizeof one)) {
        for (const int number : fault_signals)
            if (one.ssi_signo == static_cast<unsigned>(number)) {
                sigaddset(&faults, number);
                any_fault = true;
            }
        arrived.push_back(one);
    }
    // Its handler blocked it so that it would come here.
    if (any_fault) ::sigprocmask(SIG_UNBLOCK, &faults, nullptr);
    return arrived;
}

}  // namespace holdfast
