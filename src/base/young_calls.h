// System calls for which glibc 2.17, the oldest that we link against, has no function.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "base/unique_fd.h"

namespace holdfast {

// linux/memfd.h: older headers of libc know neither the name nor the call.
inline constexpr unsigned close_on_exec = 1;

// A file that lies in memory and has no name in any folder (glibc 2.27).
inline UniqueFd memory_file(const char* name, unsigned flags) {
    return UniqueFd(static_cast<int>(::syscall(SYS_memfd_create, name, flags)));
}

// Of the calling thread (glibc 2.30).
inline pid_t thread_id() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

// Zeroes that no optimiser may leave out (glibc 2.25).
inline void wipe(void* data, std::size_t size) {
    std::memset(data, 0, size);
    asm volatile("" : : "r"(data) : "memory");
}

}  // namespace holdfast
