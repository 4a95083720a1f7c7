// Everybody in the tree at one moment: what each thread waits for, where its Python code is, and
// whether anybody outside could end the wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/stall_evidence.h"

namespace holdfast {

// One process of it, with what only a living one tells.
struct PicturedProcess : StalledProcess {
    int parent = 0;
    bool worker = false;    // does what another one of the tree orders
    bool complete = false;  // every thread of it was seen, with its wait

    bool python() const {
        return std::any_of(threads.begin(), threads.end(),
                           [](const WaitingThread& thread) { return !thread.frames.empty(); });
    }
    const WaitingThread* main_thread() const {
        return threads.empty() ? nullptr : &threads.front();
    }
};

struct StallPicture {
    std::vector<PicturedProcess> processes;  // the working one first
    bool complete = false;                   // the whole tree was seen
    bool somebody_ends = false;              // a process of it is just going
    // Read from and written to anything since the start, as the kernel counts it.
    std::uint64_t moved_bytes = 0;

    // Every thread waits without an end for something that only the tree itself could bring about:
    // none of them will ever go on, unless a signal comes.
    bool inside_only() const {
        if (!complete || processes.empty()) return false;
        return std::all_of(processes.begin(), processes.end(), [](const PicturedProcess& process) {
            return process.complete && !process.traced &&
                   std::all_of(process.threads.begin(), process.threads.end(),
                               [](const WaitingThread& thread) { return thread.inside; });
        });
    }
};

}  // namespace holdfast
