// /proc/PID/task: the threads of a process, each with its current state.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "sources/thread_wait.h"

namespace holdfast::sources {

struct ThreadSeen {
    int tid = 0;
    std::string name;  // comm: chosen by the program, not safe to print as it is
    char state = '?';
    Nanos cpu_time{};
    std::string wait_channel;  // empty: runs, or the kernel does not say
    ThreadWait wait;
};

// The main thread first, at most `limit`. One that ends meanwhile is left out; one whose wait may
// not be read has it unknown.
Result<std::vector<ThreadSeen>> read_threads(int process_dir, std::size_t limit);

}  // namespace holdfast::sources
