// Which Python thread is which kernel thread.
#pragma once

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "agent/python/library.h"
#include "frames/walk.h"

namespace holdfast::agent {

// gettid() is younger than the oldest glibc we load into.
inline int own_tid() { return static_cast<int>(::syscall(SYS_gettid)); }

// Where glibc keeps the kernel's number in what pthread_self() points to; 0 when it is not found.
// Python 3.10 knows its threads only by pthread_self().
std::uint32_t place_of_tid();

// The kernel's number of a Python thread; 0 unknown.
template <class Memory>
int tid_of(Memory& memory, const frames::ThreadState& thread) {
    // A child of fork learns its new number late (before 3.12, never).
    if (thread.pthread == static_cast<std::uint64_t>(::pthread_self())) return own_tid();
    if (thread.tid != 0) return static_cast<int>(thread.tid);
    const std::uint32_t place = place_of_tid();
    std::int32_t tid = 0;
    if (place == 0 || !frames::load(memory, thread.pthread + place, tid)) return 0;
    return tid;
}

// The thread state to show for the process's first thread: one that is in Python code, in any
// interpreter. If Python runs only on other threads, the oldest of them.
template <class Memory>
std::uintptr_t main_thread_state(const PythonLibrary& python, Memory& memory) {
    static constinit std::atomic<std::uintptr_t> last{0};
    const int pid = ::getpid();
    const std::uintptr_t guess = last.load(std::memory_order_relaxed);
    frames::ThreadState thread;
    if (guess != 0 && frames::load_thread(memory, python.layout, guess, thread) &&
        tid_of(memory, thread) == pid && frames::current_frame(memory, python.layout, guess) != 0)
        return guess;
    std::uintptr_t found = 0, oldest = 0;
    frames::each_thread(memory, python.layout, python.runtime, [&](const frames::ThreadState& one) {
        oldest = one.address;
        if (tid_of(memory, one) != pid ||
            frames::current_frame(memory, python.layout, one.address) == 0)
            return true;
        found = one.address;
        return false;
    });
    last.store(found, std::memory_order_relaxed);
    return found != 0 ? found : oldest;
}

}  // namespace holdfast::agent
