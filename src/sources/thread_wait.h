// /proc/PID/task/TID/syscall: what a thread waits for in the kernel, and who could end the wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/wait_kind.h"

namespace holdfast::sources {

struct ThreadWait {
    WaitKind kind = WaitKind::unknown;
    int call = -1;              // number of the system call; -1: in none
    bool timed = false;         // ends by itself sooner or later
    bool own_lock = false;      // lock: a private futex, which only this process's threads can wake
    std::optional<int> fd;      // read, write, and poll by epoll
    std::uint64_t address = 0;  // lock: the futex; poll: the array of pollfd; else 0
    std::uint64_t count = 0;    // poll: how many are in the array
};

// EINVAL: not the text of such a file.
Result<ThreadWait> parse_thread_wait(std::string_view text);
// EACCES or EPERM unless we may trace the process.
Result<ThreadWait> read_thread_wait(int thread_dir);

// "futex", "wait4", "read": those that keep threads waiting; empty for the others.
std::string_view name_of_call(int call);

}  // namespace holdfast::sources
