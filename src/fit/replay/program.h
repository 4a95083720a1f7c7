// A capture made ready for one GPU: allocations and frees in order, those of libraries included.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "fit/capture/capture.h"
#include "fit/workspace/workspaces.h"

namespace holdfast::fit {

struct Move {
    // A convolution's workspace is an attempt: without room for it, torch silently takes a plan
    // that needs none.
    enum class Kind : std::uint8_t { allocate, attempt, free, mark };
    Kind kind;
    std::uint32_t storage;  // for a mark: its label
    Bytes size;
    std::uint32_t event;  // of the capture
};

struct Program {
    std::vector<Move> moves;
    std::uint32_t storages = 0;
    // Where the convolutions' workspaces come from: how many in all, by rule, and from similar
    // calls.
    std::uint64_t convolutions = 0, by_rule = 0, by_likeness = 0;
};

// Figures are compared over three steps: the captured ones, then the last one repeated.
Program compile(const Capture& capture, const Workspaces& workspaces, int steps = 3);

}  // namespace holdfast::fit
