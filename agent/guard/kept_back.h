// How much memory the guard keeps free, by the size of the limit and the file pages counted in it.
#pragma once

#include <cstdint>

#include "agent/guard/headroom.h"
#include "record/guard_format.h"

namespace holdfast::agent {

// The reserve: enough to handle an error, but so little that a program can use 99 % of its limit.
inline std::uint64_t reserve_for(const format::GuardSettings& settings, std::uint64_t limit) {
    constexpr std::uint64_t least = 1U << 20U, most = 32U << 20U;
    if (settings.reserve != 0) return settings.reserve;
    const std::uint64_t share = limit / 160;
    return share < least ? least : share > most ? most : share;
}

// The most that is kept free in all: with the guard, a program may need at most 2 % and 8 MiB more.
inline std::uint64_t most_kept(std::uint64_t limit) { return limit / 50 + (7U << 20U); }

// The mapped code that is charged below the limit; in a fresh container that is all of it. Handling
// an error reads it again, and a kernel that has just dropped it kills instead.
inline std::uint64_t room_for_code(const Headroom& headroom) {
    constexpr std::uint64_t most = 32U << 20U;
    std::uint64_t kept = headroom.limit / 64 + (4U << 20U);
    if (kept > most) kept = most;
    return kept < headroom.code ? kept : headroom.code;
}

// File pages to keep: at most `kept`, what most_kept() leaves beside the reserve, and what there
// is.
inline std::uint64_t of_files(const Headroom& headroom, std::uint64_t reserve, std::uint64_t kept) {
    const std::uint64_t most = at_least_nothing(most_kept(headroom.limit), reserve);
    if (kept > most) kept = most;
    return kept < headroom.files ? kept : headroom.files;
}

// The last file pages are not free memory: the kernel treats them as in use, and kills rather than
// drops them (seen with 2.5 MiB of them below 256 MiB, with 5.1 MiB below 512 MiB).
inline std::uint64_t last_files(const Headroom& headroom, std::uint64_t reserve) {
    constexpr std::uint64_t least = 7U << 19U;  // together with the reserve
    constexpr std::uint64_t most = 16U << 20U;
    std::uint64_t kept = headroom.limit / 100 + (1U << 20U);
    if (reserve + kept < least) kept = least - reserve;
    if (kept > most) kept = most;
    return of_files(headroom, reserve, kept + room_for_code(headroom));
}

// Reserves fewer file pages: a large block may be the last one that a program needs.
inline std::uint64_t last_files_from_large(const Headroom& headroom, std::uint64_t reserve) {
    constexpr std::uint64_t most = 32U << 20U;
    const std::uint64_t share = headroom.limit / 80;
    const std::uint64_t kept = at_least_nothing(share < most ? share : most, reserve);
    return of_files(headroom, reserve, kept + room_for_code(headroom));
}

// The file pages that running code may need. In a fresh container the code is charged to the
// container. If it is dropped, it is read again and again, and the program hardly moves.
inline std::uint64_t code_files(const Headroom& headroom) {
    constexpr std::uint64_t most = 64U << 20U;
    std::uint64_t kept = headroom.limit / 32;
    if (kept > most) kept = most;
    return kept < headroom.files ? kept : headroom.files;
}

// Kept free in a notebook's kernel in addition to the reserve, until a cell is refused something:
// IPython's traceback and the text below it need small blocks, a few MiB in all, and the code that
// makes them takes minutes once it has been dropped.
inline std::uint64_t for_words(const Headroom& headroom) {
    constexpr std::uint64_t least = 8U << 20U, most = 16U << 20U, most_code = 32U << 20U;
    const std::uint64_t share = headroom.limit / 32;
    const std::uint64_t code = code_files(headroom);
    return (share < least  ? least
            : share > most ? most
                           : share) +
           (code < most_code ? code : most_code);
}

}  // namespace holdfast::agent
