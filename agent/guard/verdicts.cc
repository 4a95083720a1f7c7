#include "agent/guard/verdicts.h"

#include "agent/base/clock.h"
#include "agent/guard/survivors.h"

namespace holdfast::agent {

bool probably_survives(GuardState& state, const void* caller, bool zeroed) {
    constexpr std::int64_t lasts = 1'000'000'000;
    constexpr std::int64_t pause = 20'000'000;  // between two judgements: a twentieth of the time
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    const auto at = static_cast<std::uint32_t>(address * 0x9E3779B97F4A7C15ULL >> 60U);
    static_assert(GuardState::verdicts == 16);
    const std::int64_t time = now();
    const bool known = state.judged[at].load(std::memory_order_relaxed) == address;
    if (known && time - state.judged_at[at].load(std::memory_order_relaxed) < lasts)
        return state.survives[at].load(std::memory_order_relaxed);
    if (time - state.last_judged.load(std::memory_order_relaxed) < pause)
        return !known || state.survives[at].load(std::memory_order_relaxed);
    const bool survives = survives_refusal(caller, zeroed);
    state.last_judged.store(now(), std::memory_order_relaxed);
    state.judged[at].store(address, std::memory_order_relaxed);
    state.judged_at[at].store(time, std::memory_order_relaxed);
    state.survives[at].store(survives, std::memory_order_relaxed);
    return survives;
}

}  // namespace holdfast::agent
