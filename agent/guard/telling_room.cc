#include "agent/guard/telling_room.h"

#include <algorithm>

#include "agent/base/self_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/guard/kept_back.h"
#include "agent/guard/situation.h"
#include "record/guard_format.h"

namespace holdfast::agent {

void keep_words() {
    GuardState* state = guard_state();
    if (busy || state == nullptr) return;
    const KeepErrno keep;
    const Busy inside;
    give_words(*state);
    Situation situation(*state);
    if (!situation.read() || situation.settings().mode != format::GuardMode::on) return;
    const std::uint64_t share = for_words(situation.headroom());
    state->words.store(std::min(share, situation.room_to_grow() / 2), std::memory_order_relaxed);
}

}  // namespace holdfast::agent
