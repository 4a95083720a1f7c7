// A lock for the agent's tables. It is in memory that fork wipes. A thread that holds it has `Busy`
// set, so that a signal handler on the same thread does not wait for itself.
#pragma once

#include <sched.h>

#include <atomic>

namespace holdfast::agent {

class SpinLock {
public:
    bool try_lock() { return !taken_.exchange(true, std::memory_order_acquire); }
    void lock() {
        for (int spins = 0; !try_lock(); ++spins)
            if (spins > 64) ::sched_yield();
    }
    void unlock() { taken_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> taken_;
};

// True while this thread is inside the agent: hooks then pass straight through.
extern constinit thread_local bool busy __attribute__((tls_model("initial-exec")));

// True while this thread runs our own Python code: the guard refuses nothing there, because the
// program could not catch the error.
extern constinit thread_local bool in_own_python __attribute__((tls_model("initial-exec")));

class Busy {
public:
    Busy() : was_(busy) { busy = true; }
    ~Busy() { busy = was_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    bool nested() const { return was_; }

private:
    bool was_;
};

}  // namespace holdfast::agent
