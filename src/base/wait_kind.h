// What a thread waits for in the kernel. The words are those of the black box and of recordings.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast {

enum class WaitKind : std::uint8_t {
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

// In the order of the enum.
inline constexpr std::array<std::string_view, 13> wait_kind_words{
    "unknown", "running", "lock",      "child", "read",    "write", "poll",
    "sleep",   "signal",  "file lock", "disk",  "stopped", "other"};
static_assert(wait_kind_words.size() == static_cast<std::size_t>(WaitKind::other) + 1);

constexpr std::string_view word_of(WaitKind kind) {
    return wait_kind_words[static_cast<std::size_t>(kind)];
}
// `unknown` for any other word.
constexpr WaitKind wait_kind_of(std::string_view word) {
    const auto* found = std::find(wait_kind_words.begin(), wait_kind_words.end(), word);
    return found == wait_kind_words.end() ? WaitKind::unknown
                                          : static_cast<WaitKind>(found - wait_kind_words.begin());
}

}  // namespace holdfast
