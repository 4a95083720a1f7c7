// Everything that is left of a run, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/agent_box.h"
#include "record/box_reader.h"
#include "record/cells_box.h"
#include "record/crash_box.h"
#include "record/format.h"
#include "record/run_directory.h"
#include "record/run_facts.h"

namespace holdfast {

struct RunRecord {
    std::string id;
    std::string path;  // empty for a run that had no disk
    bool live = false;
    std::optional<RunFacts> facts;  // nothing: run.json is lost, but not the machine box

    std::optional<format::FileHeader> machine_header;  // nothing: no machine box
    std::vector<format::Sample> samples;               // oldest first, the last minutes
    std::vector<format::Sample> history;               // oldest first, the whole run
    std::vector<format::Process> processes;
    std::vector<Row<format::Cgroup>> cgroups;  // Process::cgroup is a slot
    std::vector<format::Event> events;         // oldest first
    std::vector<format::Disk> disks;
    std::vector<format::Neighbour> neighbours;
    std::vector<format::Stacks>
        stacks;                         // Python stacks seen from outside, the last of each process
    std::vector<format::Stall> stalls;  // by slot, not in order of time
    std::vector<format::StalledProcess> stalled;  // of the newest stall
    std::optional<format::End> end;               // nothing: the supervisor did not get that far

    std::optional<OutputTail> output;  // nothing: not relayed
    std::vector<format::Gpu> gpus;
    std::vector<AgentRecord> agents;          // sorted by when they began
    std::uint64_t agents_refused = 0;         // processes for which there was no slot
    std::vector<CrashRecord> crashes;         // in the order they happened
    std::optional<CellsRead> cells;           // nothing: no notebook kernel
    std::optional<std::string> verdict_json;  // as stored, not parsed
    std::optional<std::string> check_json;    // findings at the start, as stored, not parsed

    std::vector<std::string> damage;  // one line each: what was missing, damaged or newer
};

// Reads whatever can be read. An error only if neither run.json nor the machine box is usable.
Result<RunRecord> read_run(const RunDirectory& directory);

// The same for boxes in memory only; -1 if there is none.
struct BoxFds {
    int machine = -1;
    int output = -1;
    int gpu = -1;
    int agent = -1;
    int crash = -1;
};
Result<RunRecord> read_run(const RunFacts& facts, const BoxFds& boxes);

}  // namespace holdfast
