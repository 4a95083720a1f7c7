// Everything one decision of the guard needs, read at one moment.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "agent/base/clock.h"
#include "agent/guard/copies.h"
#include "agent/guard/guard_page.h"
#include "agent/guard/headroom.h"
#include "agent/guard/kept_back.h"
#include "agent/guard/telling_room.h"
#include "agent/guard/unseen_growth.h"
#include "agent/guard/victim.h"

namespace holdfast::agent {

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
        version_ = copy.version;
        const bool on = settings_.mode == format::GuardMode::on;
        state_->zone.store(on ? headroom_.limit / 8 : 0, std::memory_order_relaxed);
        // Enough memory is free again, so the last error has been handled.
        if (headroom_.most > headroom_.limit / 8)
            state_->raised_room.store(no_figure, std::memory_order_relaxed);
        reserve_ = base_reserve();
        const std::uint64_t copies = for_copies(time);
        // After a refusal, pages are copied, and that drops the pages of code.
        still_ = stands_still(time);
        reserve_ += copies + (copies > 0 || still_ ? code_files(headroom_) : 0);
        return true;
    }
    // Hints for all who share the place.
    void publish(std::uint64_t taken) const {
        std::atomic_ref(place_->reserve).store(reserve_, std::memory_order_relaxed);
        std::atomic_ref(place_->spent).store(taken, std::memory_order_relaxed);
        std::atomic_ref(place_->room).store(headroom_.room, std::memory_order_relaxed);
    }
    const Headroom& headroom() const { return headroom_; }
    // True: a process that is not watched holds the most memory, so the kernel would kill that one.
    bool is_anothers_fault(std::uint64_t asked) const {
        constexpr std::int64_t lasts = 200'000'000;
        const std::int64_t time = now();
        if (time < state_->stranger_until.load(std::memory_order_relaxed))
            return state_->stranger_dies.load(std::memory_order_relaxed);
        const Shortage shortage{headroom_.levels_up, version_, headroom_.limit};
        const std::uint64_t more = asked < headroom_.most ? asked : headroom_.most;
        const bool dies = stranger_dies_first("/proc", ::getpid(), shortage, more);
        state_->stranger_dies.store(dies, std::memory_order_relaxed);
        state_->stranger_until.store(time + lasts, std::memory_order_relaxed);
        return dies;
    }
    const format::GuardSettings& settings() const { return settings_; }
    std::uint64_t reserve() const { return reserve_; }
    // Below this a program can only get by growth that the gate did not grant: memory touched late,
    // or requests that were let through. Forked processes add nothing, because their parent may
    // have left less.
    std::uint64_t brink() const {
        if (still_) return reserve_;
        const std::uint64_t kept = base_reserve();
        return (kept + last_files_from_large(headroom_, kept)) / 8 * 7;
    }
    // The same if `growth` more is taken before the next look. Bounded, because a program may need
    // at most 2 % and 8 MiB more than without the guard, some of it for what follows an error.
    std::uint64_t brink_before(std::uint64_t growth) const {
        constexpr std::uint64_t worth_it = 256U << 10U;
        const std::uint64_t share = headroom_.limit / 128;
        const std::uint64_t to_deal_with_it = share > (3U << 20U) ? share : (3U << 20U);
        if (growth < worth_it) return brink() + growth;
        const std::uint64_t most = most_kept(headroom_.limit);
        const std::uint64_t sum = brink() + growth + to_deal_with_it;
        return sum < most ? sum : most;
    }
    // The same for a main thread that waits for others of its process: they hold the interpreter's
    // lock, give it up every five milliseconds, and go on while the main thread handles the error.
    std::uint64_t brink_of_waiting() const {
        constexpr std::uint64_t milliseconds = 8;
        const std::uint64_t unseen = 2 * unseen_growth(*state_).largest;
        const std::uint64_t lead = state_->pace.load(std::memory_order_relaxed) * milliseconds;
        return brink_before(lead > unseen ? lead : unseen);
    }
    std::uint64_t brink_of_running() const { return brink_before(unseen_growth(*state_).second); }
    // How long it takes, at the present rate, until the room falls to brink_of_waiting().
    std::int64_t time_to_brink() const {
        const std::uint64_t pace = state_->pace.load(std::memory_order_relaxed);
        if (pace == 0) return 1'000'000'000;
        const std::uint64_t left = at_least_nothing(headroom_.most, brink_of_waiting());
        return static_cast<std::int64_t>(left / pace) * 1'000'000;
    }
    void keep_pace() const {
        const std::int64_t time = now();
        const std::int64_t before = state_->pace_time.load(std::memory_order_relaxed);
        if (time - before < 1'000'000) return;
        state_->pace_time.store(time, std::memory_order_relaxed);
        const std::uint64_t room = state_->pace_room.exchange(headroom_.most);
        if (before == 0) return;
        const std::uint64_t lost = at_least_nothing(room, headroom_.most);
        const auto passed = static_cast<std::uint64_t>(time - before) / 1'000'000;
        state_->pace.store(lost / passed, std::memory_order_relaxed);
    }
    // After a small block, growth by small blocks goes on, so it must be stopped earlier.
    std::uint64_t reserve_from_small() const { return reserve_ + last_files(headroom_, reserve_); }
    // How much steady growth may still take. The last file pages do not count, because the kernel
    // will not drop them; in a cold container the program's own code is among them.
    std::uint64_t room_to_grow() const {
        return at_least_nothing(headroom_.most, reserve_from_small());
    }
    // Whether `bytes` more fit; the page tables for them are memory, too.
    bool fits(std::uint64_t bytes) const {
        return bytes + bytes / 512 + last_files_from_large(headroom_, reserve_) <= room();
    }
    // What may still be taken, by the most generous reading.
    std::uint64_t room() const { return at_least_nothing(headroom_.most, reserve_); }

private:
    std::uint64_t base_reserve() const {
        return reserve_for(settings_, headroom_.limit) + kept_for_words(*state_);
    }

    // For three seconds, because some programs read their code again at 99 % of their limit and
    // still end well.
    bool stands_still(std::int64_t time) const {
        constexpr std::int64_t lasting = 3'000'000'000;
        constexpr std::uint64_t pages_a_second = 1000;
        if (headroom_.most >= reserve_ + code_files(headroom_)) {
            state_->scarce_since.store(0, std::memory_order_relaxed);
            return false;
        }
        const std::int64_t since = state_->scarce_since.load(std::memory_order_relaxed);
        if (since == 0) {
            state_->scarce_refaults.store(headroom_.refaults, std::memory_order_relaxed);
            state_->scarce_since.store(time, std::memory_order_relaxed);
            return false;
        }
        const std::uint64_t again = at_least_nothing(
            headroom_.refaults, state_->scarce_refaults.load(std::memory_order_relaxed));
        const auto seconds = static_cast<std::uint64_t>(time - since) / 1'000'000'000;
        return time - since >= lasting && again >= seconds * pages_a_second;
    }

    // After a refusal, forked processes keep copying shared pages, and no allocator is asked. Far
    // from the limit this does not matter, and the question is expensive.
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
    std::uint32_t version_ = 0;
    bool still_ = false;  // the program hardly moves: it reads its own code again and again
};

}  // namespace holdfast::agent
