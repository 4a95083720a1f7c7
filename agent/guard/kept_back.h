// How much the guard keeps from the program, by the size of its limit and the file pages below it.
#pragma once

#include <cstdint>

#include "agent/guard/headroom.h"
#include "record/guard_format.h"

namespace holdfast::agent {

// What is kept from the program: enough to handle an error in, little enough that those who come to
// 99 % of their limit get there.
inline std::uint64_t reserve_for(const format::GuardSettings& settings, std::uint64_t limit) {
    constexpr std::uint64_t least = 1U << 20U, most = 32U << 20U;
    if (settings.reserve != 0) return settings.reserve;
    const std::uint64_t share = limit / 160;
    return share < least ? least : share > most ? most : share;
}

// The last file pages are no room: the kernel takes them to be in use, and kills rather than drop
// them (seen with 1.6 to 2.5 MiB of them below a limit of 256 MiB, with 4 MiB below 1 GiB).
inline std::uint64_t last_files(const Headroom& headroom, std::uint64_t reserve) {
    constexpr std::uint64_t most = 8U << 20U;
    constexpr std::uint64_t least = 7U << 19U;  // together with the reserve
    std::uint64_t kept = headroom.limit / 400;
    if (reserve + kept < least) kept = least - reserve;
    if (kept > most) kept = most;
    return kept < headroom.files ? kept : headroom.files;
}

// A large block may be the last that a program needs: of them only so little is kept from it that
// those who come to 99 % of their limit get there.
inline std::uint64_t last_files_from_large(const Headroom& headroom, std::uint64_t reserve) {
    constexpr std::uint64_t enough = 5U << 19U;  // together with the reserve
    const std::uint64_t share = headroom.limit / 110;
    const std::uint64_t kept = at_least_nothing(share < enough ? share : enough, reserve);
    return kept < headroom.files ? kept : headroom.files;
}

// What the code that runs may need of them. In a fresh container it is charged to it; when it is
// dropped everybody reads it again and again, and the program hardly moves.
inline std::uint64_t code_files(const Headroom& headroom) {
    constexpr std::uint64_t most = 64U << 20U;
    std::uint64_t kept = headroom.limit / 32;
    if (kept > most) kept = most;
    return kept < headroom.files ? kept : headroom.files;
}

// Kept in a notebook's kernel beside the reserve, until a cell is refused something: IPython's
// traceback and the words below it are made of small blocks, a few MiB in all, by code that takes
// minutes once it has been dropped.
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
