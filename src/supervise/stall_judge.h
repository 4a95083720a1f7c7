// Whether a program that does not move is stuck, or only rests: the question a false alarm hangs
// on. Pure; what it cannot be sure of is no stall.
#pragma once

#include <optional>

#include "base/time.h"
#include "supervise/stall_picture.h"
#include "supervise/step_watch.h"

namespace holdfast {

struct StallFacts {
    Nanos now{};
    Nanos quiet{};  // no CPU time and no bytes moved for so long
    std::optional<StepsSeen> steps;
};

// `patience`: what a proven deadlock is given; weaker signs are given a multiple of it.
bool is_stuck(const StallPicture& picture, const StallFacts& facts, Nanos patience);

// No step for far longer than usual: not yet a stall, but worth a look.
bool is_overdue(const StallFacts& facts);

}  // namespace holdfast
