// What the frames of a Python stack show: which ones are the user's own, and what is going on
// around them.
#pragma once

#include <string_view>
#include <vector>

#include "model/verdict.h"

namespace holdfast {

// As knowledge/own_code.txt has it: a file of the user's, or source made up for `python -c`.
bool is_own_code(std::string_view file);

// The innermost frame in the user's own code, null where there is none; `frames` outermost first.
const Frame* innermost_own_frame(const std::vector<Frame>& frames);

// What the functions' names around a line show: that it loads data, or waits for one long piece of
// work.
enum class CallKind {
    other,
    loads,     // read_csv, torch.load, the user's own load_images
    prepares,  // the user's own __init__, build_features: often, but not always, a data set's
    collects,  // a comprehension: one list that is still being made, or one of many short ones
    works,     // fit, train: one call of a library, whatever it allocates in it
};

// `frames` are outermost first; `line` is the index of the user's line.
CallKind kind_of_call(const std::vector<Frame>& frames, std::size_t line);

// Whether nothing but the user's own __init__ makes it CallKind::prepares: one object of many, or
// one that collects a data set.
bool only_makes_objects(const std::vector<Frame>& frames, std::size_t line);

}  // namespace holdfast
