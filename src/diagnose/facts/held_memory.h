// What the rules about kept or loaded memory have seen: leaks, large data, copies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diagnose/finding.h"
#include "model/evidence.h"

namespace holdfast::facts {

struct HostLeak {
    const AgentEvidence* agent = nullptr;  // it has a leak
    Where asking;                          // the line that asks for the memory that is kept
};

// The same in a process in which no line of the user's own asks for memory.
struct HelperLeak {
    const AgentEvidence* agent = nullptr;  // it has a leak, at a library's lines
    Frame line;                            // the innermost of them
    bool manager = false;                  // of multiprocessing: it keeps what others put into it
};

// What a list, dict or set of the program held when the GPU was full.
struct KeptTensors {
    std::string name;
    std::optional<Where> where;  // the line that fills it
    std::uint64_t count = 0;
    std::uint64_t graphs = 0;  // how many of them keep the graph that computed them
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
    bool borrowed = false;  // asked for by a library's threads while the main thread was here
};

// What a name reaches takes much memory, and more at every look; no single line holds most of it.
struct KeptByName {
    const AgentEvidence* agent = nullptr;
    Bytes peak;
};

// Memory rose during one call that loads data, but Holdfast did not see who asked for it.
struct LoadedUnseen {
    const AgentEvidence* agent = nullptr;
    Where loading;
    Bytes risen, peak;
};

// A single request was half of the limit or more.
struct AskedAtOnce {
    Where asking;
    Bytes asked, limit;
};

struct WorkerCopies {
    std::uint64_t workers = 0;
    Bytes copies, parent, limit;
    Bytes theirs;  // what only the workers can hold; zero: the cgroup's figures show the copies
    Bytes anon;    // of the whole cgroup
};

struct LoadedInEachWorker {
    Where where;
    std::uint64_t workers = 0;
    Bytes held, limit;  // by all of them
};

void tell(const HostLeak& facts, const Autopsy& death, Account& account);
void tell(const HelperLeak& facts, const Autopsy& death, Account& account);
void tell(const GpuLeak& facts, const Autopsy& death, Account& account);
void tell(const KeptByLine& facts, const Autopsy& death, Account& account);
void tell(const LoadedByLine& facts, const Autopsy& death, Account& account);
void tell(const KeptByName& facts, const Autopsy& death, Account& account);
void tell(const LoadedUnseen& facts, const Autopsy& death, Account& account);
void tell(const AskedAtOnce& facts, const Autopsy& death, Account& account);
void tell(const WorkerCopies& facts, const Autopsy& death, Account& account);
void tell(const LoadedInEachWorker& facts, const Autopsy& death, Account& account);

}  // namespace holdfast::facts
