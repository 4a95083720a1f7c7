// What the rules about memory that was kept or loaded have seen: leaks, large data, copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diagnose/finding.h"
#include "model/evidence.h"

namespace holdfast::facts {

struct HostLeak {
    const AgentEvidence* agent = nullptr;  // it has a leak
    Where asking;                          // the line that asks for what is kept
};

// What the program's own list, dict or set held when the GPU was full.
struct KeptTensors {
    std::string name;
    std::optional<Where> where;  // what fills it
    std::uint64_t count = 0;
    std::uint64_t graphs = 0;  // of them, with all that was computed for them
};

struct GpuLeak {
    const AgentEvidence* agent = nullptr;  // its steps have growth on the GPU
    std::optional<KeptTensors> kept;
};

// One line asked for much, in many pieces that were kept.
struct KeptByLine {
    const AgentEvidence* agent = nullptr;
    Where asking;
    Bytes live, error, peak;
    int rises = 0;
};

// One line loaded much at once.
struct LoadedByLine {
    const AgentEvidence* agent = nullptr;
    Where loading;
    Bytes live, error, before_steps, peak;
    bool filling = false;   // it was still being filled
    bool borrowed = false;  // asked for by threads of a library, while the main thread waited here
};

// A name reaches much, and more at every look; no line holds most of it.
struct KeptByName {
    const AgentEvidence* agent = nullptr;
    Bytes peak;
};

// Memory rose during one call that loads, but Holdfast did not see it being requested.
struct LoadedUnseen {
    const AgentEvidence* agent = nullptr;
    Where loading;
    Bytes risen, peak;
};

// One request alone was half of the limit or more.
struct AskedAtOnce {
    Where asking;
    Bytes asked, limit;
};

struct WorkerCopies {
    std::uint64_t workers = 0;
    Bytes copies, parent, limit;
    Bytes theirs;  // what can only be the workers' own; zero: their pages are not shared
    Bytes anon;    // of the whole cgroup
};

struct LoadedInEachWorker {
    Where where;
    std::uint64_t workers = 0;
    Bytes held, limit;  // by all of them
};

void tell(const HostLeak& facts, const Autopsy& death, Account& account);
void tell(const GpuLeak& facts, const Autopsy& death, Account& account);
void tell(const KeptByLine& facts, const Autopsy& death, Account& account);
void tell(const LoadedByLine& facts, const Autopsy& death, Account& account);
void tell(const KeptByName& facts, const Autopsy& death, Account& account);
void tell(const LoadedUnseen& facts, const Autopsy& death, Account& account);
void tell(const AskedAtOnce& facts, const Autopsy& death, Account& account);
void tell(const WorkerCopies& facts, const Autopsy& death, Account& account);
void tell(const LoadedInEachWorker& facts, const Autopsy& death, Account& account);

}  // namespace holdfast::facts
