// What holds the memory at a program's peak.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "fit/replay/replay.h"

namespace holdfast::fit {

// One line of the anatomy below a role: a module and the user's line.
struct AnatomyShare {
    std::string module;
    std::string file;
    std::uint32_t line = 0;
    Bytes bytes;
};

// What is alive when most memory is allocated, and what is reserved on top.
struct Anatomy {
    Bytes weights, gradients, optimizer, activations, temporaries, inputs, workspaces;
    Bytes fragmentation;  // reserved at its peak, but not allocated
    Bytes context;
    std::vector<AnatomyShare> activations_by_place;  // largest first
    std::string moment;  // "backward of ConvolutionBackward0", "train.py:12"
};

Anatomy anatomy_of(const Capture& capture, const Program& program, const Replayed& replayed);

}  // namespace holdfast::fit
