#include "agent/guard/unseen_growth.h"

#include "agent/guard/figures.h"

namespace holdfast::agent {
namespace {

constexpr std::int64_t remembered = 5'000'000'000;  // this long, and up to twice as long
constexpr std::uint64_t given_back = 1U << 20U;

void forget(GuardState& state) {
    for (auto& one : state.unseen) one.store(0, std::memory_order_relaxed);
}

// [0] and [1] are the two largest of this period, [2] and [3] those of the one before.
void turn_over(GuardState& state, std::int64_t now) {
    const std::int64_t since = state.unseen_since.load(std::memory_order_relaxed);
    if (now - since < remembered) return;
    state.unseen_since.store(now, std::memory_order_relaxed);
    if (now - since >= 2 * remembered) forget(state);
    for (int i = 0; i < 2; ++i) state.unseen[i + 2].store(state.unseen[i].exchange(0));
}

void note(GuardState& state, std::uint64_t bytes, std::int64_t now) {
    turn_over(state, now);
    const std::uint64_t largest = state.unseen[0].load(std::memory_order_relaxed);
    if (bytes > largest) {
        state.unseen[1].store(largest, std::memory_order_relaxed);
        state.unseen[0].store(bytes, std::memory_order_relaxed);
    } else if (bytes > state.unseen[1].load(std::memory_order_relaxed)) {
        state.unseen[1].store(bytes, std::memory_order_relaxed);
    }
}

}  // namespace

void note_look(GuardState& state, std::uint64_t left, std::int64_t now) {
    const std::uint64_t asked = state.asked.load(std::memory_order_relaxed);
    const std::uint64_t seen = asked - state.look_asked.exchange(asked, std::memory_order_relaxed);
    const std::uint64_t before = state.look_room.exchange(left, std::memory_order_relaxed);
    const std::uint64_t lost = at_least_nothing(before, left);
    // What was asked for just before the last look may be touched only now.
    const std::uint64_t known = seen + state.look_untouched.load(std::memory_order_relaxed);
    state.look_untouched.store(at_least_nothing(seen, lost), std::memory_order_relaxed);
    if (left > before + given_back) return forget(state);  // memory comes and goes: no growth
    note(state, at_least_nothing(lost, known), now);
}

void note_let_through(GuardState& state, std::uint64_t bytes, std::int64_t now) {
    note(state, bytes, now);
}

UnseenGrowth unseen_growth(const GuardState& state) {
    UnseenGrowth found;
    for (const auto& one : state.unseen) {
        const std::uint64_t bytes = one.load(std::memory_order_relaxed);
        if (bytes > found.largest) {
            found.second = found.largest;
            found.largest = bytes;
        } else if (bytes > found.second) {
            found.second = bytes;
        }
    }
    return found;
}

}  // namespace holdfast::agent
