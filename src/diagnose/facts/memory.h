// What the rules about memory that ran out have seen.
#pragma once

#include <optional>

#include "diagnose/death/worker_end.h"
#include "diagnose/finding.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/oom/refusal.h"
#include "diagnose/text/last_text.h"
#include "model/evidence.h"

namespace holdfast::facts {

// An OOM kill, at a cgroup's limit or on the whole machine: `kill` says which.
struct OomKilled {
    OomKill kill;
};

// Who had taken the memory that this process was killed for.
struct Eater {
    Bytes held;
    const Neighbour* neighbour = nullptr;  // or the first of a crowd
    const MemoryHolder* holder = nullptr;  // in the kernel's own list
    int crowd = 0;                         // how many neighbours together; 0: a single one
    bool files = false;                    // in shared memory, which belong to no process
};

struct OomVictim {
    std::optional<OomKill> kill;  // absent: the guard refused it memory
    Bytes own, whole;
    Eater eater;
    bool idle = false;  // a kernel that ran no cell
};

struct WorkerOom {
    FatalChild child;
    OomKill kill;
};

struct AllocRefused {
    Refusal refusal;
    std::optional<Bytes> free;
    bool too_large = false;
};

struct AddressLimit {
    Refusal refusal;
    Bytes used, limit;
    bool by_space = false;  // RLIMIT_AS; else RLIMIT_DATA
};

struct OvercommitLimit {
    Refusal refusal;
};

struct MapCount {
    Refusal refusal;
    bool seen = false;  // the count was at its limit; else nothing else explains the refusal
};

struct GuardRefused {
    const AgentEvidence* agent = nullptr;
    std::optional<Refusal> error;  // absent: the program did not handle it, and hangs
};

struct MemoryWatcher {
    const SignalSeen* signal = nullptr;  // null: only systemd-oomd's mark on the cgroup shows it
};

struct SwapThrash {};

struct ShmFull {
    const DiskEvidence* shm = nullptr;
    std::optional<Said> said;
    bool was_full = false, by_itself = false;
};

void tell(const OomKilled& facts, const Autopsy& death, Account& account);
void tell(const OomVictim& facts, const Autopsy& death, Account& account);
void tell(const WorkerOom& facts, const Autopsy& death, Account& account);
void tell(const AllocRefused& facts, const Autopsy& death, Account& account);
void tell(const AddressLimit& facts, const Autopsy& death, Account& account);
void tell(const OvercommitLimit& facts, const Autopsy& death, Account& account);
void tell(const MapCount& facts, const Autopsy& death, Account& account);
void tell(const GuardRefused& facts, const Autopsy& death, Account& account);
void tell(const MemoryWatcher& facts, const Autopsy& death, Account& account);
void tell(const SwapThrash& facts, const Autopsy& death, Account& account);
void tell(const ShmFull& facts, const Autopsy& death, Account& account);

}  // namespace holdfast::facts
