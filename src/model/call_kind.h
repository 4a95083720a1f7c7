// What the names of the functions around a line show: that it loads data, or that it waits for one
// long piece of work.
#pragma once

#include <vector>

#include "model/verdict.h"

namespace holdfast {

enum class CallKind {
    other,
    loads,     // read_csv, torch.load, the user's own load_images
    prepares,  // the user's own __init__, build_features: often a data set's, but not always
    collects,  // a comprehension: one list that is still being made, or one of many short ones
    works,     // fit, train: one call of a library, whatever it allocates meanwhile
};

// `frames` outermost first; `line` is the place of the user's line among them.
CallKind kind_of_call(const std::vector<Frame>& frames, std::size_t line);

}  // namespace holdfast
