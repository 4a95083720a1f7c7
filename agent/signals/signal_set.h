// Signal sets as the kernel has them: 64 bits, without libc's exceptions for signals of its own.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace holdfast::agent {

using SignalMask = std::uint64_t;
inline constexpr SignalMask every_signal = ~SignalMask{0};

inline constexpr int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
inline constexpr int sent_signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};

constexpr SignalMask mask_of(int number) {
    return SignalMask{1} << static_cast<unsigned>(number - 1);
}
constexpr SignalMask crash_mask() {
    SignalMask mask = 0;
    for (const int number : crash_signals) mask |= mask_of(number);
    return mask;
}

// libc's set is larger than the kernel's; the first 64 bits are the same.
inline SignalMask mask_of(const sigset_t& set) {
    return *reinterpret_cast<const SignalMask*>(&set);
}
inline void put_mask(sigset_t& set, SignalMask mask) {
    *reinterpret_cast<SignalMask*>(&set) = mask;
}

inline SignalMask change_mask(int how, SignalMask mask) {
    SignalMask before = 0;
    ::syscall(SYS_rt_sigprocmask, how, &mask, &before, sizeof mask);
    return before;
}

// Nothing can interrupt this thread while one of these lives.
class AllBlocked {
public:
    AllBlocked() : before_(change_mask(SIG_BLOCK, every_signal)) {}
    ~AllBlocked() { change_mask(SIG_SETMASK, before_); }
    AllBlocked(const AllBlocked&) = delete;
    AllBlocked& operator=(const AllBlocked&) = delete;

private:
    SignalMask before_;
};

}  // namespace holdfast::agent
