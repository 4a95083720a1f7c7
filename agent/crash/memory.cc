// process_vm_readv on ourselves: a bad pointer is an error number there, not a fault.
#include "agent/crash/memory.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

namespace holdfast::agent {

jmp_buf* landing = nullptr;

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t batch = 16;

// Where the call is forbidden (old container profiles): plain loads, a page at a time.
std::size_t load_pages(std::uintptr_t from, void* to, std::size_t size) {
    jmp_buf* const outer = landing;
    if (outer == nullptr) return 0;
    jmp_buf here;
    volatile std::size_t done = 0;
    if (_setjmp(here) == 0) {
        landing = &here;
        while (done < size) {
            const std::size_t rest = page - (from + done) % page;
            const std::size_t part = rest < size - done ? rest : size - done;
            std::memcpy(static_cast<char*>(to) + done, reinterpret_cast<const void*>(from + done),
                        part);
            done = done + part;
        }
    }
    landing = outer;
    return done;
}

}  // namespace

std::size_t read_memory(std::uintptr_t from, void* to, std::size_t size) {
    std::size_t done = 0;
    while (done < size) {
        // One piece per page: the kernel gives back only whole pieces.
        iovec remote[batch];
        std::size_t count = 0;
        std::size_t asked = 0;
        while (count < batch && done + asked < size) {
            const std::uintptr_t at = from + done + asked;
            const std::size_t rest = page - at % page;
            const std::size_t left = size - done - asked;
            remote[count] = {reinterpret_cast<void*>(at), rest < left ? rest : left};
            asked += remote[count++].iov_len;
        }
        iovec local{static_cast<char*>(to) + done, asked};
        const long got =
            ::syscall(SYS_process_vm_readv, ::getpid(), &local, 1UL, remote, count, 0UL);
        if (got < 0 && (errno == ENOSYS || errno == EPERM))
            return done + load_pages(from + done, static_cast<char*>(to) + done, size - done);
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
        if (static_cast<std::size_t>(got) < asked) break;
    }
    return done;
}

std::size_t read_string(std::uintptr_t from, char* to, std::size_t room) {
    std::size_t size = 0;
    while (size + 1 < room) {
        const std::size_t rest = 64 - (from + size) % 64;
        const std::size_t left = room - 1 - size;
        const std::size_t got = read_memory(from + size, to + size, rest < left ? rest : left);
        const void* end = std::memchr(to + size, 0, got);
        if (end != nullptr) {
            size = static_cast<std::size_t>(static_cast<const char*>(end) - to);
            break;
        }
        if (got == 0) break;
        size += got;
    }
    to[size] = 0;
    return size;
}

}  // namespace holdfast::agent
