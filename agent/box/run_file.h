// Opens a file of the run's directory.
#pragma once

namespace holdfast::agent {

// -1 when there is no run or no such file. Async-signal-safe; the caller closes it.
int open_run_file(const char* name, int flags);

}  // namespace holdfast::agent
