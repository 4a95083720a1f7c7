// What is found out about one death, once, for every rule: how it died, whether the OOM killer
// killed it, what stood still, its last words, what it held, and who brought it down.
#pragma once

#include <memory>
#include <optional>

#include "diagnose/death/death.h"
#include "diagnose/death/worker_end.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/oom/refusal.h"
#include "diagnose/stall/standstill.h"
#include "diagnose/text/python_dump.h"

namespace holdfast {

struct Autopsy : Death, std::enable_shared_from_this<Autopsy> {
    explicit Autopsy(const Death& death);
    // The members below point into the evidence, and into this value itself.
    Autopsy(const Autopsy&) = delete;
    Autopsy& operator=(const Autopsy&) = delete;

    // Recorded inside the process.
    const AgentEvidence* agent;
    const CrashEvidence* crash;
    const ExitCallEvidence* exit_call;

    // Its last words: an exception that nobody caught, an interpreter's dump, memory refused.
    const TracebackText* exception;
    std::optional<PythonDump> dump;
    std::optional<Refusal> refusal;

    // Where in the user's code it died, by its last message, and where it was a moment before.
    std::optional<Where> died_at, was_at;

    OomCount oom_count;
    std::optional<OomKill> oom_kill;
    std::optional<Bytes> held, held_by_tree;

    std::optional<Standstill> stand;
    std::optional<FatalChild> fatal_child;
};

std::shared_ptr<const Autopsy> autopsy_of(const Death& death);

}  // namespace holdfast
