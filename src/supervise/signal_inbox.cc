#include "supervise/signal_inbox.h"

namespace holdfast {

Result<SignalInbox> SignalInbox::open() {
    SignalInbox inbox;
    // A fault of our own (SIGSEGV and its kin) ends us even while blocked, so blocking all is safe,
    // and a SIGABRT or SIGQUIT sent by a watchdog still reaches the program instead of us.
    sigset_t all;
    sigfillset(&all);
    if (::sigprocmask(SIG_SETMASK, &all, &inbox.mask_at_start_) != 0)
        return Error::from_errno("cannot block signals");
    inbox.fd_.reset(::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!inbox.fd_) return Error::from_errno("cannot open a signalfd");
    return inbox;
}

std::vector<signalfd_siginfo> SignalInbox::take() {
    std::vector<signalfd_siginfo> arrived;
    signalfd_siginfo one{};
    while (::read(fd_.get(), &one, sizeof one) == static_cast<ssize_t>(sizeof one))
        arrived.push_back(one);
    return arrived;
}

}  // namespace holdfast
