// Everything one decision of the guard needs, read at one moment.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/base/clock.h"
#include "agent/guard/copies.h"
#include "agent/guard/headroom.h"
#include "agent/guard/page.h"

namespace holdfast::agent {

// What is kept from the program: enough to handle an error in, little enough that those who come to
// 99 % of their limit get there.
inline std::uint64_t reserve_for(const format::GuardSettings& settings, std::uint64_t limit) {
    constexpr std::uint64_t least = 1U << 20U, most = 32U << 20U;
    if (settings.reserve != 0) return settings.reserve;
    const std::uint64_t share = limit / 160;
    return share < least ? least : share > most ? most : share;
}

// File pages that are no room. The code that runs: in a fresh container it is charged to it, and
// when it is dropped everybody reads it again and again, and stands still. And the last of any
// kind: the kernel takes them to be in use, and kills rather than drop them (seen with 1.6 MiB of
// them below a limit of 256 MiB, with 4 MiB below 1 GiB).
inline std::uint64_t kept_files(const Headroom& headroom) {
    constexpr std::uint64_t most = 64U << 20U;
    const std::uint64_t code = headroom.limit / 32;
    std::uint64_t kept = headroom.limit / 300;
    if (kept < headroom.mapped) kept = headroom.mapped < code ? headroom.mapped : code;
    if (kept > most) kept = most;
    return kept < headroom.files ? kept : headroom.files;
}

class Situation {
public:
    explicit Situation(GuardState& state) : state_(&state) {}

    // False: nothing is known, so nothing is refused.
    bool read(bool anew = false) {
        const std::int64_t time = now();
        if (!guard_settings(settings_, time)) return false;
        format::GuardPlace copy;
        place_ = own_place(*state_, time, anew, copy);
        if (place_ == nullptr) return false;
        headroom_ = read_headroom(copy);
        if (!headroom_.known) return false;
        reserve_ =
            reserve_for(settings_, headroom_.limit) + kept_files(headroom_) + for_copies(time);
        return true;
    }
    // Hints for all who share the place.
    void publish(std::uint64_t taken) const {
        std::atomic_ref(place_->reserve).store(reserve_, std::memory_order_relaxed);
        std::atomic_ref(place_->spent).store(taken, std::memory_order_relaxed);
        std::atomic_ref(place_->room).store(headroom_.room, std::memory_order_relaxed);
    }
    const Headroom& headroom() const { return headroom_; }
    const format::GuardSettings& settings() const { return settings_; }
    std::uint64_t reserve() const { return reserve_; }
    // Whether so much may still be taken; what describes the pages to the kernel is memory, too.
    bool fits(std::uint64_t bytes) const { return bytes + bytes / 512 <= room(); }
    // What may still be taken, by the reading that is the last to say no.
    std::uint64_t room() const { return at_least_nothing(headroom_.most, reserve_); }

private:
    // Forked copies keep growing after a refusal, and ask nobody. Far from the limit this does not
    // matter, and it is dear to ask.
    std::uint64_t for_copies(std::int64_t time) const {
        if (headroom_.most > headroom_.limit / 8) return 0;
        const std::uint64_t most = headroom_.limit / 25;
        const std::uint64_t expected = copies_to_come(*state_, time);
        return expected < most ? expected : most;
    }

    GuardState* state_;
    format::GuardSettings settings_{};
    format::GuardPlace* place_ = nullptr;
    Headroom headroom_;
    std::uint64_t reserve_ = 0;
};

}  // namespace holdfast::agent
