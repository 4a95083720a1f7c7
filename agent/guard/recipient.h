// Who would get the error of a refusal. In a worker process nobody does, unless the code that runs
// the tasks catches what a task raises and hands it to the process that waits.
#pragma once

#include <cstddef>

#include "agent/base/text.h"

namespace holdfast::agent {

struct CalledFunction {
    Text file;
    Text function;
};

// `stack` is innermost first. False: the error would end a process that others wait for in vain.
bool error_is_received(const CalledFunction* stack, std::size_t count);

// The same of the calling thread, which has Python frames.
bool own_error_is_received();

}  // namespace holdfast::agent
