// `guard.box`: what the supervisor tells the guards inside the program's processes, and what they
// tell each other. Plain C++ without a library, like format.h. Every process of the run may write
// here, so nothing important is trusted: the settings have a checksum, places are only hints where
// to look, and figures are only hints when to look. A refusal rests on what the kernel says at that
// moment, never on this page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/format.h"

namespace holdfast::format {

inline constexpr char guard_magic[8] = {'H', 'F', 'G', 'U', 'A', 'R', 'D', '1'};

enum class GuardMode : std::uint32_t { off = 0, warn = 1, on = 2 };

struct GuardSettings {
    char magic[8];
    GuardMode mode;
    std::uint32_t unused;
    std::uint64_t reserve;  // bytes to keep free; 0: depends on the size of the limit
    std::uint64_t check;    // guard_hash of the fields before it
};
static_assert(sizeof(GuardSettings) == 32);

// One chain of cgroups. A process finds its own by the text of its /proc/PID/cgroup.
struct GuardPlace {
    std::uint64_t key;      // guard_hash of that text; 0: unused
    std::uint32_t version;  // of cgroups: 1 or 2; 0: none, only the machine limits memory
    std::uint32_t levels;   // directories to read: this one and levels - 1 above it
    char directory[472];    // of the own level, without a slash at its end
    std::uint64_t check;    // guard_hash of the fields before it
    std::uint64_t room;     // the memory that was left at the last reading
    std::uint64_t spent;    // requested since then by all processes of this place
    std::uint64_t reserve;  // how much of `room` to keep free
};
static_assert(sizeof(GuardPlace) == 520);
inline constexpr std::uint32_t guard_places = 16;

// Memory that was granted a moment ago and is not touched yet: no two threads may be promised the
// same pages.
struct GuardPromise {
    std::uint64_t owner;   // pid and tid; 0: free
    std::uint64_t ticket;  // the lower one came first
    std::uint64_t bytes;
    std::int64_t until;  // monotonic; does not count any longer after this
};
inline constexpr std::uint32_t guard_promises = 32;

enum class GuardEventKind : std::uint32_t {
    none = 0,
    refused = 1,       // would not have fitted
    too_large = 2,     // larger than the whole limit; no longer written
    nothing_left = 3,  // growth by small blocks had used up everything
    brink = 4,         // BrinkError: at a step or cell boundary, or at a line after a call
};

// The first event of its kind in the run, which the supervisor reports.
struct GuardEvent {
    std::int64_t time;  // 0: none; written last
    GuardEventKind kind;
    std::int32_t pid;
    std::uint64_t asked, room, limit;
    char place[128];  // "train.py:42", or empty
};
static_assert(sizeof(GuardEvent) == 168);

// SIGURG, which is ignored by default.
inline constexpr std::int32_t brink_signal = 23;

// A Python process whose main thread can be called at the brink.
struct GuardListener {
    std::int32_t pid;      // 0: free
    std::uint32_t answer;  // GuardAnswer to the last call
};
enum class GuardAnswer : std::uint32_t {
    none = 0,
    nobody_hears = 1,  // nobody would get an error here: call the process that waits for this one
};
inline constexpr std::uint32_t guard_listeners = 64;

struct GuardPage {
    GuardSettings settings;
    std::int64_t alive;         // when the supervisor last wrote; an old page does not count
    std::uint64_t place_count;  // how many places are used
    std::uint64_t next_ticket;
    std::uint32_t brink;  // a futex; counts how often memory nearly ran out
    std::uint32_t reserved_word;
    std::uint64_t refused, warned;  // of all processes
    GuardEvent first;
    std::uint64_t first_taken;  // set by the process that writes `first`
    std::int64_t last_refused;  // time of the last refusal; 0: never
    std::uint64_t reserved[7];
    GuardPromise promises[guard_promises];
    GuardPlace places[guard_places];
    GuardListener listeners[guard_listeners];
};
inline constexpr std::size_t guard_page_size = 12U << 10U;
static_assert(sizeof(GuardPage) <= guard_page_size);

inline constexpr std::int64_t guard_stale_after = 10'000'000'000;

// FNV-1a; never 0.
inline std::uint64_t guard_hash(const void* data, std::size_t size) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001B3ULL;
    return hash != 0 ? hash : 1;
}

inline std::uint64_t check_of(const GuardSettings& settings) {
    return guard_hash(&settings, offsetof(GuardSettings, check));
}
inline std::uint64_t check_of(const GuardPlace& place) {
    return guard_hash(&place, offsetof(GuardPlace, check));
}

}  // namespace holdfast::format
