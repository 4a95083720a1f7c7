// A plan for the terminal: the answer first, then where the memory goes, then what would help. Also
// the words that the plan's picture shares with it.
#pragma once

#include <array>
#include <string>

#include "fit/plan/plan.h"
#include "present/style.h"

namespace holdfast {

// A part of memory, in the words of the page and the picture.
struct PlanPart {
    const char* name;
    Bytes bytes;
    const char* colour;  // in pictures; readable on light and dark
};

// The parts of the peak, in the order in which they are shown.
inline std::array<PlanPart, 9> plan_parts(const fit::Anatomy& anatomy) {
    return {{{"weights", anatomy.weights, "#3b6fd4"},
             {"gradients", anatomy.gradients, "#7aa6f2"},
             {"optimizer", anatomy.optimizer, "#8e5bd0"},
             {"activations", anatomy.activations, "#e8710a"},
             {"inputs", anatomy.inputs, "#c9a227"},
             {"temporaries", anatomy.temporaries, "#d9538f"},
             {"workspaces", anatomy.workspaces, "#2c9c8f"},
             {"fragmentation", anatomy.fragmentation, "#9aa0a6"},
             {"CUDA context", anatomy.context, "#5f6b7a"}}};
}

std::string plan_headline(const fit::Plan& plan);  // "Batch 64 fits: 9.1 GiB of 24 GiB"
std::string plan_margin(const fit::Plan& plan);
std::string plan_largest(const fit::Plan& plan);       // empty: was not searched for
std::string place_of(const fit::AnatomyShare& share);  // "layer1.conv  train.py:12"

// A plan for the terminal: the answer first, then where the memory goes, then what would help.
std::string plan_page(const fit::Plan& plan, const Style& style);

}  // namespace holdfast
