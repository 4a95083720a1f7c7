// The calls by which a program changes or asks for its signal actions. Calls for signals that we do
// not handle go straight to libc.
#include <errno.h>
#include <signal.h>

#include <atomic>

#include "agent/base/export.h"
#include "agent/base/real.h"
#include "agent/signals/signal_set.h"
#include "agent/signals/table.h"

namespace holdfast::agent {
namespace {

constinit Real<int (*)(int, int)> real_siginterrupt{"siginterrupt"};

// signal(3) asks what siginterrupt(3) said last; libc keeps that to itself.
constinit std::atomic<SignalMask> interrupting{0};

sighandler_t set_handler(int number, sighandler_t handler, SignalMask mask, int flags) {
    if (handler == SIG_ERR || number < 1 || number > 64) {
        errno = EINVAL;
        return SIG_ERR;
    }
    struct sigaction action {};
    action.sa_handler = handler;
    put_mask(action.sa_mask, mask);
    action.sa_flags = flags;
    struct sigaction before {};
    if (program_sigaction(number, &action, &before) != 0) return SIG_ERR;
    return before.sa_handler;
}

sighandler_t bsd(int number, sighandler_t handler) {
    if (number < 1 || number > 64) return set_handler(number, SIG_ERR, 0, 0);
    const bool interrupts = (interrupting.load() & mask_of(number)) != 0;
    return set_handler(number, handler, mask_of(number), interrupts ? 0 : SA_RESTART);
}

sighandler_t system_v(int number, sighandler_t handler) {
    return set_handler(number, handler, 0, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}

}  // namespace
}  // namespace holdfast::agent

namespace agent = holdfast::agent;

HOLDFAST_EXPORT int sigaction(int number, const struct sigaction* action,
                              struct sigaction* before) noexcept {
    return agent::program_sigaction(number, action, before);
}
HOLDFAST_EXPORT int __sigaction(int number, const struct sigaction* action,
                                struct sigaction* before) noexcept {
    return agent::program_sigaction(number, action, before);
}
HOLDFAST_EXPORT sighandler_t signal(int number, sighandler_t handler) noexcept {
    return agent::bsd(number, handler);
}
HOLDFAST_EXPORT sighandler_t bsd_signal(int number, sighandler_t handler) noexcept {
    return agent::bsd(number, handler);
}
HOLDFAST_EXPORT sighandler_t ssignal(int number, sighandler_t handler) noexcept {
    return agent::bsd(number, handler);
}
HOLDFAST_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) noexcept {
    return agent::system_v(number, handler);
}
HOLDFAST_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler) noexcept {
    return agent::system_v(number, handler);
}
HOLDFAST_EXPORT int sigignore(int number) noexcept {
    return agent::set_handler(number, SIG_IGN, 0, 0) == SIG_ERR ? -1 : 0;
}

HOLDFAST_EXPORT sighandler_t sigset(int number, sighandler_t handler) noexcept {
    // SIG_HOLD: the action stays and the signal is blocked.
    const auto hold = reinterpret_cast<sighandler_t>(2);
    if (handler == SIG_ERR || number < 1 || number > 64) {
        errno = EINVAL;
        return SIG_ERR;
    }
    struct sigaction before {};
    if (handler == hold) {
        if (agent::program_sigaction(number, nullptr, &before) != 0) return SIG_ERR;
    } else {
        struct sigaction action {};
        action.sa_handler = handler;
        if (agent::program_sigaction(number, &action, &before) != 0) return SIG_ERR;
    }
    const auto mask = agent::mask_of(number);
    const auto blocked = agent::change_mask(handler == hold ? SIG_BLOCK : SIG_UNBLOCK, mask);
    return (blocked & mask) != 0 ? hold : before.sa_handler;
}

HOLDFAST_EXPORT int siginterrupt(int number, int interrupt) noexcept {
    const int result = agent::real_siginterrupt()(number, interrupt);
    if (result != 0) return result;
    if (interrupt != 0)
        agent::interrupting.fetch_or(agent::mask_of(number));
    else
        agent::interrupting.fetch_and(~agent::mask_of(number));
    agent::set_restart(number, interrupt == 0);
    return result;
}
