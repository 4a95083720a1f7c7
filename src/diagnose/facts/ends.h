// What the rules about ordinary ends have seen: exits, exceptions, signals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnose/death/lost_peer.h"
#include "diagnose/death/stop_signals.h"
#include "diagnose/finding.h"
#include "knowledge/schedulers.h"
#include "model/evidence.h"

namespace holdfast::facts {

struct CleanExit {};

struct UncaughtException {
    std::string line, source;  // empty: only the exit status tells
};

struct ExitCalled {};

struct ShutDown {
    bool restart = false;
};

// Killed by SIGKILL, but not by the OOM killer.
struct KilledOutright {
    const SignalSeen* asked_before = nullptr;
};

struct Terminated {
    const SignalSeen* signal = nullptr;
    bool timed_out = false;  // by timeout(1), which says so
};

// A signal that no rule knows.
struct OtherSignal {
    const SignalSeen* signal = nullptr;
};

// `kill -SEGV`: the exit status of a fault that never happened.
struct SentFault {
    SignalSeen sent;
};

struct Interrupted {
    const SignalSeen* signal = nullptr;
    bool by_itself = false;
};

struct Hangup {
    const SignalSeen* signal = nullptr;
};

struct Preempted {
    const SignalSeen* signal = nullptr;
    const Scheduler* by = nullptr;
    bool in_time = false;  // the job's time was up
};

// Another rank, or the process that hosts the store, went away.
struct PeerLost {
    PeerWords words;
    const ProcessEvidence* left = nullptr;
};

struct StoppedByLauncher {
    const SignalSeen* signal = nullptr;
    std::string_view launcher;
    bool killed = false;  // by SIGKILL in the end
};

struct UnknownKill {};

// A kind of end that no rule knows.
struct NothingTells {};
struct StillRunning {};

// The parent's last message about a child, in addition to what is known about the child's end.
struct ToldByParent {
    std::shared_ptr<const Facts> of_child;
    std::string line;
};

void tell(const CleanExit& facts, const Autopsy& death, Account& account);
void tell(const UncaughtException& facts, const Autopsy& death, Account& account);
void tell(const ExitCalled& facts, const Autopsy& death, Account& account);
void tell(const ShutDown& facts, const Autopsy& death, Account& account);
void tell(const KilledOutright& facts, const Autopsy& death, Account& account);
void tell(const Terminated& facts, const Autopsy& death, Account& account);
void tell(const OtherSignal& facts, const Autopsy& death, Account& account);
void tell(const SentFault& facts, const Autopsy& death, Account& account);
void tell(const Interrupted& facts, const Autopsy& death, Account& account);
void tell(const Hangup& facts, const Autopsy& death, Account& account);
void tell(const Preempted& facts, const Autopsy& death, Account& account);
void tell(const PeerLost& facts, const Autopsy& death, Account& account);
void tell(const StoppedByLauncher& facts, const Autopsy& death, Account& account);
void tell(const UnknownKill& facts, const Autopsy& death, Account& account);
void tell(const NothingTells& facts, const Autopsy& death, Account& account);
void tell(const StillRunning& facts, const Autopsy& death, Account& account);
void tell(const ToldByParent& facts, const Autopsy& death, Account& account);

}  // namespace holdfast::facts
