// Everybody in the tree at one moment: what each thread waits for, where its Python code is, and
// whether anybody outside could end the wait.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "record/format.h"
#include "record/stall_text.h"
#include "sources/roots.h"
#include "supervise/process_tree.h"
#include "supervise/stack_watch.h"

namespace holdfast {

struct PicturedProcess {
    pid_t pid = 0, parent = 0;
    format::ProcessRole role = format::ProcessRole::helper;
    bool traced = false;               // in a debugger's hand
    bool complete = false;             // every thread of it was seen, with its wait
    std::vector<StallThread> threads;  // the main thread first

    bool python() const;
    const StallThread* main_thread() const { return threads.empty() ? nullptr : &threads.front(); }
};

struct StallPicture {
    std::vector<PicturedProcess> processes;  // the working one first
    bool complete = false;                   // the whole tree was seen
    bool somebody_ends = false;              // a process of it is just going
    // Read from and written to anything since the start, as the kernel counts it.
    std::uint64_t moved_bytes = 0;

    // Every thread waits without an end for something that only the tree itself could bring about:
    // none of them will ever go on, unless a signal comes.
    bool inside_only() const;
};

// One that a notebook's kernel keeps for its messages. Whoever sends one could not end a wait of
// the program's, so a picture leaves these out: they would make every wait look as if somebody
// could.
bool serves_a_kernel(const StallThread& thread);

StallPicture take_picture(Nanos now, const sources::Roots& roots, const ProcessTree& tree,
                          StackWatch& stacks);

}  // namespace holdfast
