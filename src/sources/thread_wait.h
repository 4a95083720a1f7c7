// /proc/PID/task/TID/syscall: what a thread waits for in the kernel, and who could end the wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace holdfast::sources {

enum class Wait : std::uint8_t {
    unknown,
    running,    // on a CPU or ready for one
    lock,       // a futex: a mutex, a semaphore, a condition
    child,      // the end of a child
    read,       // bytes or a connection from a descriptor
    write,      // room in a descriptor
    poll,       // one of several descriptors
    sleep,      // nothing but time
    signal,     // a signal it asked for
    file_lock,  // another's lock on a file
    disk,       // in the kernel, for a filesystem or a device
    stopped,    // by SIGSTOP, or in a debugger's hand
    other,
};

struct ThreadWait {
    Wait kind = Wait::unknown;
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
