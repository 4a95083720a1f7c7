// What the rules about runs that do not move have seen.
#pragma once

#include <memory>
#include <optional>

#include "diagnose/finding.h"
#include "diagnose/stall/standstill.h"
#include "diagnose/text/last_text.h"
#include "model/evidence.h"

namespace holdfast::facts {

struct ForkDeadlock {
    Standstill stand;
};
struct HeldInterpreter {
    Standstill stand;
};
struct LockDeadlock {
    Standstill stand;
};
struct LoaderStall {
    Standstill stand;
};
struct NoProgress {
    Standstill stand;
};
struct IoStall {
    Standstill stand;
};
struct CollectiveStall {
    Standstill stand;
};

// Reported by the process that gave up waiting.
struct CollectiveTimeout {
    Said said;
};
// Its launcher only says that a rank failed; the rank's own exception says why.
struct RankTimeout {
    const ProcessEvidence* rank = nullptr;
    const ExceptionEvidence* thrown = nullptr;
};

// A worker died while its parent waited for what it should deliver. A pool may replace the worker
// again and again, each dying in turn: then nothing stands still, and `parent` is null.
struct LostWorker {
    Finding of_worker;
    const StalledProcess* parent = nullptr;
    bool oom_killed = false;
    int one_by_one = 1;  // how many died
};

// A thread that should have delivered data or released a lock, but ended with an exception.
struct DeadThread {
    const ExceptionEvidence* thrown = nullptr;
};

// Which resource of the machine was short while step times were uneven.
struct UnevenSteps {
    enum class Short { memory, disk, cpu };
    const AgentEvidence* agent = nullptr;
    Short what{};
};

void tell(const ForkDeadlock& facts, const Autopsy& death, Account& account);
void tell(const HeldInterpreter& facts, const Autopsy& death, Account& account);
void tell(const LockDeadlock& facts, const Autopsy& death, Account& account);
void tell(const LoaderStall& facts, const Autopsy& death, Account& account);
void tell(const NoProgress& facts, const Autopsy& death, Account& account);
void tell(const IoStall& facts, const Autopsy& death, Account& account);
void tell(const CollectiveStall& facts, const Autopsy& death, Account& account);
void tell(const CollectiveTimeout& facts, const Autopsy& death, Account& account);
void tell(const RankTimeout& facts, const Autopsy& death, Account& account);
void tell(const LostWorker& facts, const Autopsy& death, Account& account);
void tell(const DeadThread& facts, const Autopsy& death, Account& account);
void tell(const UnevenSteps& facts, const Autopsy& death, Account& account);

}  // namespace holdfast::facts
