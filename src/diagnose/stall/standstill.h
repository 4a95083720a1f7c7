// The stall that a run is in, or was in when it ended, and its most likely explanation. Each stall
// gets one explanation: the process that blocks others comes before those that wait for it.
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
    held_interpreter,  // native code holds the GIL and waits
    lock_deadlock,     // threads, or processes, wait for each other
    no_progress,       // the CPU is busy, but no step ends
    unanswered_read,   // nobody answers on a socket or a pipe that the program itself reads
};

struct Standstill {
    const StallEvidence* stall = nullptr;
    StandstillKind kind{};
    bool live = false;
    Nanos lasted{};
    // The process and thread to blame, as far as that can be known; never null.
    const StalledProcess* culprit = nullptr;
    const WaitingThread* thread = nullptr;
    // The process, or the rank, that does the work and waits. May be the culprit itself.
    const StalledProcess* waiting = nullptr;
};

// Nothing while the program moves, and nothing if waiting is what it does: a server, a prompt, a
// sleep, a debugger. For a run that has ended, only if somebody lost patience and ended it.
std::optional<Standstill> standstill_of(const Death& death);

// The line of the user's own code that is to blame: the loop that never ends, or else the
// innermost.
std::optional<Where> place_of(const Standstill& stand);

// Fills in what all findings about a stall share: the process, and the place in the user's code.
Finding stall_finding(const Autopsy& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, std::shared_ptr<const Facts> facts);

template <class F>
Finding stall_finding(const Autopsy& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, F facts) {
    return stall_finding(death, stand, cause, confidence, facts_of(std::move(facts)));
}

}  // namespace holdfast
