// Files below /proc, read in a signal handler: no heap, no stdio, and also when the program has
// used up its file descriptors.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "agent/base/text.h"

namespace holdfast::agent {

// While it lives, a few descriptors more are allowed than the program's limit, where the hard limit
// lets us.
class RoomForDescriptors {
public:
    RoomForDescriptors();
    ~RoomForDescriptors();
    RoomForDescriptors(const RoomForDescriptors&) = delete;
    RoomForDescriptors& operator=(const RoomForDescriptors&) = delete;

private:
    std::uint64_t before_[2] = {0, 0};
    bool raised_ = false;
};

class ProcFile {
public:
    explicit ProcFile(const char* path, int flags = O_RDONLY)
        : fd_(static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC))) {}
    ~ProcFile() {
        if (fd_ >= 0) ::syscall(SYS_close, fd_);
    }
    ProcFile(const ProcFile&) = delete;
    ProcFile& operator=(const ProcFile&) = delete;
    int fd() const { return fd_; }
    std::size_t read(char* to, std::size_t room) const {
        if (fd_ < 0) return 0;
        const long got = ::syscall(SYS_read, fd_, to, room);
        return got < 0 ? 0 : static_cast<std::size_t>(got);
    }

private:
    int fd_;
};

// Calls visit(line) for each line; lines longer than the buffer are skipped. Stops when it returns
// false.
template <class Visit>
void each_line(const char* path, Visit visit) {
    const ProcFile file(path);
    char buffer[8192];
    std::size_t held = 0;
    while (true) {
        const std::size_t got = file.read(buffer + held, sizeof buffer - held);
        if (got == 0) return;
        held += got;
        std::size_t begin = 0;
        while (const void* end = std::memchr(buffer + begin, '\n', held - begin)) {
            const auto at = static_cast<std::size_t>(static_cast<const char*>(end) - buffer);
            if (!visit(Text{buffer + begin, at - begin})) return;
            begin = at + 1;
        }
        held -= begin;
        std::memmove(buffer, buffer + begin, held);
        if (held == sizeof buffer) held = 0;
    }
}

// Calls visit(number) for each entry of a folder whose name is a number.
template <class Visit>
void each_number_in(const char* folder, Visit visit) {
    const ProcFile file(folder, O_RDONLY | O_DIRECTORY);
    alignas(8) char buffer[4096];
    while (file.fd() >= 0) {
        const long got = ::syscall(SYS_getdents64, file.fd(), buffer, sizeof buffer);
        if (got <= 0) return;
        for (long at = 0; at < got;) {
            // struct linux_dirent64: inode, offset, then length of the record, type, name.
            std::uint16_t length = 0;
            std::memcpy(&length, buffer + at + 16, sizeof length);
            const char* name = buffer + at + 19;
            int number = 0;
            for (; *name >= '0' && *name <= '9'; ++name) number = number * 10 + (*name - '0');
            if (*name == 0 && !visit(number)) return;
            at += length;
        }
    }
}

// The next word of a line; the line goes on behind it.
inline Text next_word(Text& line) {
    while (!line.empty() && *line.data == ' ') line = {line.data + 1, line.size - 1};
    std::size_t size = 0;
    while (size < line.size && line.data[size] != ' ') ++size;
    const Text word{line.data, size};
    line = {line.data + size, line.size - size};
    return word;
}

// Hexadecimal digits, with or without 0x, up to the first other character.
inline std::uint64_t hex(Text word) {
    std::uint64_t value = 0;
    std::size_t i = word.starts_with("0x") ? 2 : 0;
    for (; i < word.size; ++i) {
        const char c = word.data[i];
        if (c >= '0' && c <= '9')
            value = value << 4U | static_cast<unsigned>(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4U | static_cast<unsigned>(c - 'a' + 10);
        else
            break;
    }
    return value;
}

}  // namespace holdfast::agent
