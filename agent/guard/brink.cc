#include "agent/guard/brink.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/base/raw_calls.h"
#include "agent/base/self_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/guard/guard_page.h"
#include "agent/guard/refusal.h"
#include "agent/guard/situation.h"
#include "agent/guard/telling_room.h"

namespace holdfast::agent {
namespace {

// Each of the last three steps must have taken more than is left: a single large step is warm-up,
// and a program that has stopped growing may stay where it is.
constexpr std::uint32_t steps_in_a_row = 3;

bool grows_over(const GuardState& state, std::uint64_t room) {
    for (std::uint32_t i = 0; i < steps_in_a_row; ++i)
        if (state.step_growth[i].load(std::memory_order_relaxed) <= room) return false;
    return true;
}

void keep_growth(GuardState& state, std::uint64_t room) {
    const std::uint64_t before = state.step_room.exchange(room, std::memory_order_relaxed);
    const std::uint64_t growth = before == 0 ? 0 : at_least_nothing(before, room);
    const std::uint32_t at = state.next_step.fetch_add(1, std::memory_order_relaxed);
    state.step_growth[at % steps_in_a_row].store(growth, std::memory_order_relaxed);
}

// By the hints, an eighth of the limit is left: then a step need not ask the kernel.
bool much_is_left(GuardState& state) {
    const std::uint32_t known = state.place.load(std::memory_order_relaxed);
    if (known == 0) return false;
    format::GuardPlace& place = guard_page()->places[known - 1];
    const std::uint64_t room = std::atomic_ref(place.room).load(std::memory_order_relaxed);
    const std::uint64_t spent = std::atomic_ref(place.spent).load(std::memory_order_relaxed);
    const std::uint64_t kept = std::atomic_ref(place.reserve).load(std::memory_order_relaxed);
    return kept != 0 && at_least_nothing(room, spent) / 128 > kept;
}

}  // namespace

BrinkView look_over_brink() {
    GuardState* state = guard_state();
    if (busy || state == nullptr) return {};
    const KeepErrno keep;
    const Busy inside;
    Situation situation(*state);
    if (!situation.read()) return {};
    return {true, situation.headroom().most, situation.headroom().limit};
}

bool step_would_cross() {
    GuardState* state = guard_state();
    if (busy || state == nullptr || much_is_left(*state)) return false;
    const KeepErrno keep;
    const Busy inside;
    Situation situation(*state);
    if (!situation.read()) return false;
    situation.publish(0);
    keep_growth(*state, situation.headroom().most);
    if (!grows_over(*state, situation.room_to_grow()) || situation.is_anothers_fault(0))
        return false;
    const bool on = situation.settings().mode == format::GuardMode::on;
    if (!on && state->warned.exchange(true)) return false;
    note_refusal({format::GuardEventKind::brink, on, 0, situation.headroom().most,
                  situation.headroom().limit});
    // The program may have made room, so count the next steps from 0.
    for (auto& growth : state->step_growth) growth.store(0, std::memory_order_relaxed);
    if (on) give_words(*state);
    return on;
}

std::uint32_t wait_for_brink(std::uint32_t seen, std::int64_t nanoseconds) {
    const timespec time{static_cast<time_t>(nanoseconds / 1'000'000'000),
                        static_cast<long>(nanoseconds % 1'000'000'000)};
    if (guard_state() == nullptr) {
        raw_sleep(time);
        return seen;
    }
    std::uint32_t* word = &guard_page()->brink;
    ::syscall(SYS_futex, word, FUTEX_WAIT, seen, &time, nullptr, 0);
    return std::atomic_ref(*word).load(std::memory_order_acquire);
}

}  // namespace holdfast::agent
