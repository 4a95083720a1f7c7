// The threads of a process: which there are, and what each waits for in the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/wait_kind.h"

namespace holdfast::sources {

// /proc/PID/wchan: the kernel function that a process sleeps in. Empty if it runs, or if the kernel
// does not tell ("0").
std::string parse_pid_wchan(std::string_view text);
Result<std::string> read_pid_wchan(int process_dir);

// /proc/PID/task/TID/syscall: what a thread waits for in the kernel, and who could end the wait.
struct ThreadWait {
    WaitKind kind = WaitKind::unknown;
    int call = -1;              // number of the system call; -1: in none
    bool timed = false;         // ends by itself sooner or later
    bool own_lock = false;      // lock: a private futex, which only this process's threads can wake
    std::optional<int> fd;      // read, write, and poll by epoll
    std::uint64_t address = 0;  // lock: the futex; poll: the pollfd array; else 0
    std::uint64_t count = 0;    // poll: number of entries in the array
};

// EINVAL if the text is not that of such a file.
Result<ThreadWait> parse_thread_wait(std::string_view text);
// EACCES or EPERM unless we may trace the process.
Result<ThreadWait> read_thread_wait(int thread_dir);

// "futex", "wait4", "read": calls in which threads wait; empty for other calls.
std::string_view name_of_call(int call);

// /proc/PID/task: the threads of a process, each with its current state.
struct ThreadSeen {
    int tid = 0;
    std::string name;  // comm: chosen by the program, so not safe to print
    char state = '?';
    Nanos cpu_time{};
    std::string wait_channel;  // empty: it runs, or the kernel does not tell
    ThreadWait wait;
};

// The main thread first, at most `limit`. Leaves out threads that end meanwhile; if a thread's wait
// may not be read, it is `unknown`.
Result<std::vector<ThreadSeen>> read_threads(int process_dir, std::size_t limit);

}  // namespace holdfast::sources
