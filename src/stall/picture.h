// Everybody in the tree at one moment: what each thread waits for, where its Python code is, and
// whether anybody outside could end the wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/stall_evidence.h"

namespace holdfast {

// One process of the tree, with what is only known while it lives.
struct PicturedProcess : StalledProcess {
    int parent = 0;
    bool worker = false;    // does the work that another process of the tree gives it
    bool complete = false;  // all its threads were seen, each with its wait

    bool python() const {
        return std::any_of(threads.begin(), threads.end(),
                           [](const WaitingThread& thread) { return !thread.frames.empty(); });
    }
    const WaitingThread* main_thread() const {
        return threads.empty() ? nullptr : &threads.front();
    }
};

struct StallPicture {
    std::vector<PicturedProcess> processes;  // the working process first
    bool complete = false;                   // the whole tree was seen
    bool somebody_ends = false;              // one of its processes is just ending
    // Bytes read and written since the start, by any call, as the kernel counts them.
    std::uint64_t moved_bytes = 0;

    // Every thread waits without a time limit for something that only the tree itself can do:
    // without a signal, none of them will ever go on.
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
