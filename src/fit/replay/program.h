// A capture made ready for one GPU: allocations and frees in order, the library's among them.
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
    std::uint32_t storage;  // a mark's label
    Bytes size;
    std::uint32_t event;  // of the capture
};

struct Program {
    std::vector<Move> moves;
    std::uint32_t storages = 0;
    // How the convolutions' workspaces were come by, in bytes of the largest of each grade.
    std::uint64_t convolutions = 0, by_rule = 0, by_likeness = 0;
};

// Three steps, as comparable figures are taken over three: the captured ones, and the last again.
Program compile(const Capture& capture, const Workspaces& workspaces, int steps = 3);

}  // namespace holdfast::fit
