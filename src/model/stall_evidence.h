// A time in which the program did not move: since when, and who waited for what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/wait_kind.h"
#include "model/agent_evidence.h"

namespace holdfast {

struct WaitingThread {
    int tid = 0;
    std::string name;
    std::optional<char> state;
    WaitKind wait = WaitKind::unknown;
    bool timed = false;               // the wait ends by itself
    bool inside = false;              // only a process of the tree can end it
    bool own_lock = false;            // a lock that only threads of the same process can release
    bool holds_gil = false;           // the interpreter's lock
    std::string call;                 // "futex"
    std::string wait_channel;         // "futex_wait_queue"
    std::string target;               // what it reads or writes: "pipe:[123]"
    std::optional<int> owner;         // the thread that holds the lock, if the lock records it
    std::vector<std::string> native;  // innermost first
    std::vector<Frame> frames;        // Python's, outermost first
};

struct StalledProcess {
    int pid = 0;
    bool traced = false;
    std::vector<WaitingThread> threads;  // the main thread first
};

struct StallEvidence {
    RunTime since{};
    RunTime seen{};                // the last look at which it still lasted
    std::optional<RunTime> told;   // when it had lasted long enough to be reported
    std::optional<RunTime> moved;  // when the program went on
    bool busy = false;             // the CPU was busy, but no step ended
    bool inside_only = false;      // only a process of the tree could have ended it
    // No steps are counted, but the main thread does not leave one loop: how many of its frames are
    // called from the loop's frame. Then what follows is about writes, not steps.
    std::optional<int> in_loop;
    std::uint64_t steps = 0;
    std::optional<RunTime> last_step;
    std::optional<Nanos> usual, longest;    // from one step to the next
    std::optional<Nanos> cpu;               // what the tree used during it
    std::vector<StalledProcess> processes;  // of the newest stall only; the working process first
};

}  // namespace holdfast
