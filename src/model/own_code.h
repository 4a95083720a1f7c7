// What the frames of a Python stack show: which is the user's own, and what is being done around
// it.
#pragma once

#include <string_view>
#include <vector>

#include "model/verdict.h"

namespace holdfast {

// Not a file of an installed package, of the standard library or of the interpreter.
bool is_own_code(std::string_view file);

// The innermost frame in the user's own code, null where there is none; `frames` outermost first.
const Frame* innermost_own_frame(const std::vector<Frame>& frames);

// What the names of the functions around a line show: that it loads data, or that it waits for one
// long piece of work.
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
