// Whether a program that does not move is stuck or only rests. A false alarm depends on this, so
// anything uncertain is no stall. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "model/stall_evidence.h"
#include "stall/picture.h"

namespace holdfast {

// The steps of the process that counted most.
struct StepsCounted {
    int pid = 0;
    std::uint64_t count = 0;
    Nanos first{}, last{};     // when the first and the last step ended
    Nanos usual{}, longest{};  // from one step to the next; 0: not known
};

struct StallFacts {
    Nanos now{};
    Nanos quiet{};  // for how long no CPU time was used and no bytes moved
    std::optional<StepsCounted> steps;
};

// ---- while the program lives ----

// No step for far longer than usual: no stall yet, but worth a look.
bool is_worth_a_look(const StallFacts& facts);
// `patience`: how long a proven deadlock is watched; a weaker sign must last a multiple of it.
bool is_stuck(const StallPicture& picture, const StallFacts& facts, Nanos patience);

// ---- afterwards ----

// What shows a stall; each sign must last for another time to count.
enum class StallSign {
    proven,   // nobody could have ended the wait
    kernel,   // blocked in the kernel
    waiting,  // for somebody who might still have come
    busy,     // busy, but no step ended
};

// No step for far longer than the steps before took.
bool steps_overdue(const StallEvidence& stall);
// Nothing written for far longer than before, and never out of one loop.
bool silent_in_a_loop(const StallEvidence& stall);
// Whether a stall that lasted until somebody ended the program may be the reason.
bool lasted_long_enough(const StallEvidence& stall, StallSign sign, Nanos lasted);

}  // namespace holdfast
