// Opens a file of the run's directory.
#pragma once

#include <cstddef>

namespace holdfast::agent {

// -1 if there is no run or no such file, or if the file cannot be trusted: others could have put it
// there, could write to it, or could truncate it under our mapping. It has at least `size` bytes.
// Async-signal-safe; the caller closes it.
int open_run_file(const char* name, int flags, std::size_t size);

}  // namespace holdfast::agent
