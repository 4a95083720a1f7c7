// The stall a run is in, or was in when it ended, and what it most likely is. One stall has one
// explanation: the culprit comes before those who wait for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/death/death.h"
#include "diagnose/finding.h"
#include "model/statement.h"

namespace holdfast {

enum class StandstillKind {
    io_stall,          // a thread cannot be woken out of the kernel
    fork_deadlock,     // a forked child waits for a lock nobody in it holds
    loader_stall,      // the next batch does not come
    collective,        // a rank does not join the others
    held_interpreter,  // native code keeps the GIL and waits
    lock_deadlock,     // threads, or processes, wait for each other
    no_progress,       // busy, but no step ends
    unanswered_read,   // nobody answers on a socket or a pipe that the program itself reads
};

struct Standstill {
    const StallEvidence* stall = nullptr;
    StandstillKind kind{};
    bool live = false;
    Nanos lasted{};
    // Who is to blame, as far as that can be known; never null.
    const StalledProcess* culprit = nullptr;
    const WaitingThread* thread = nullptr;
    // The process that does the work, or a rank of it: who waits. May be the culprit itself.
    const StalledProcess* waiting = nullptr;
};

// Nothing while it moves; nothing either where waiting is what the program does: a server, a
// prompt, a sleep, a debugger. Of a run that ended only where somebody lost patience with it.
std::optional<Standstill> standstill_of(const Death& death);

// What all findings about a stall have in common: the process, and the place in the user's code.
Finding stall_finding(const Autopsy& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, std::shared_ptr<const Facts> facts);

template <class F>
Finding stall_finding(const Autopsy& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, F facts) {
    return stall_finding(death, stand, cause, confidence, facts_of(std::move(facts)));
}

}  // namespace holdfast
