// Whether a program that does not move is stuck, or only rests: the question a false alarm hangs
// on. Pure; what it cannot be sure of is no stall.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "model/stall_evidence.h"
#include "stall/picture.h"

namespace holdfast {

// Of the process that has counted most.
struct StepsCounted {
    int pid = 0;
    std::uint64_t count = 0;
    Nanos first{}, last{};     // when the first and the last step ended
    Nanos usual{}, longest{};  // from one step to the next; 0: not known
};

struct StallFacts {
    Nanos now{};
    Nanos quiet{};  // no CPU time and no bytes moved for so long
    std::optional<StepsCounted> steps;
};

// ---- while it lives ----

// No step for far longer than usual: not yet a stall, but worth a look.
bool is_worth_a_look(const StallFacts& facts);
// `patience`: what a proven deadlock is given; weaker signs are given a multiple of it.
bool is_stuck(const StallPicture& picture, const StallFacts& facts, Nanos patience);

// ---- afterwards ----

// What stands behind a stall, by what it takes to count.
enum class StallSign {
    proven,   // nobody could have ended it
    kernel,   // blocked in it
    waiting,  // for somebody who might still have come
    busy,     // no step ended
};

// No step for far longer than they took so far.
bool steps_overdue(const StallEvidence& stall);
// A stall that lasted until somebody ended the program, for so long: whether it may be why.
bool lasted_long_enough(const StallEvidence& stall, StallSign sign, Nanos lasted);

}  // namespace holdfast
