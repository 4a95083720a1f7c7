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
    bool timed = false;               // ends by itself
    bool inside = false;              // only somebody of the tree can end it
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
    RunTime seen{};                // the last look that still found it so
    std::optional<RunTime> told;   // it lasted long enough to say so while it was alive
    std::optional<RunTime> moved;  // it went on
    bool busy = false;             // the CPU was; only no step ended
    bool inside_only = false;      // nobody outside the tree could have ended it
    std::uint64_t steps = 0;
    std::optional<RunTime> last_step;
    std::optional<Nanos> usual, longest;    // from one step to the next
    std::optional<Nanos> cpu;               // what the tree used in it
    std::vector<StalledProcess> processes;  // of the newest only; the working one first
};

}  // namespace holdfast
