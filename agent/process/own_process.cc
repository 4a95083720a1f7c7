#include "agent/process/own_process.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "agent/base/raw_calls.h"

namespace holdfast::agent {
namespace {

std::size_t read_whole(const char* path, char* out, std::size_t room) {
    const int fd = raw_open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const ssize_t got = raw_read(fd, out, room);
    raw_close(fd);
    return got < 0 ? 0 : static_cast<std::size_t>(got);
}

}  // namespace

std::uint64_t own_start_ticks() {
    char text[1024];
    const std::size_t size = read_whole("/proc/self/stat", text, sizeof text - 1);
    text[size] = 0;
    // The name, in parentheses, may itself hold anything, parentheses too.
    const char* at = std::strrchr(text, ')');
    if (at == nullptr) return 0;
    for (int field = 2; field < 22; ++field) {
        at = std::strchr(at + 1, ' ');
        if (at == nullptr) return 0;
    }
    std::uint64_t ticks = 0;
    for (++at; *at >= '0' && *at <= '9'; ++at)
        ticks = ticks * 10 + static_cast<unsigned>(*at - '0');
    return ticks;
}

std::uint64_t command_of(int pid, char* out, std::uint64_t room) {
    char path[32] = "/proc/";
    char digits[12];
    int count = 0;
    for (unsigned rest = static_cast<unsigned>(pid); count == 0 || rest > 0; rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    std::size_t at = 6;
    while (count > 0) path[at++] = digits[--count];
    std::memcpy(path + at, "/cmdline", 9);
    std::size_t size = read_whole(path, out, room);
    while (size > 0 && out[size - 1] == 0) --size;
    for (std::size_t i = 0; i < size; ++i)
        if (out[i] == 0) out[i] = ' ';
    return size;
}

int own_thread_id() { return static_cast<int>(::syscall(SYS_gettid)); }

}  // namespace holdfast::agent
