// Everything that is left of a run, read into plain values.
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
    std::optional<RunFacts> facts;  // nothing: run.json is lost, the machine box is not

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
    std::vector<format::Stall> stalls;  // by slot, in no order of time
    std::vector<format::StalledProcess> stalled;  // of the newest of them
    std::optional<format::End> end;               // nothing: the supervisor did not get there

    std::optional<OutputTail> output;  // nothing: not relayed
    std::vector<format::Gpu> gpus;
    std::vector<AgentRecord> agents;          // by the moment they began
    std::uint64_t agents_refused = 0;         // processes that found no slot
    std::vector<CrashRecord> crashes;         // in the order they happened
    std::optional<CellsRead> cells;           // nothing: no notebook kernel
    std::optional<std::string> verdict_json;  // as cached; not parsed here
    std::optional<std::string> check_json;    // what was found at the start; not parsed here

    std::vector<std::string> damage;  // one line each: what was missing, damaged or newer
};

// Reads what can be read. An error only when neither run.json nor the machine box can be used.
Result<RunRecord> read_run(const RunDirectory& directory);

// The same for boxes that never had a disk; -1 where there is none.
struct BoxFds {
    int machine = -1;
    int output = -1;
    int gpu = -1;
    int agent = -1;
    int crash = -1;
};
Result<RunRecord> read_run(const RunFacts& facts, const BoxFds& boxes);

}  // namespace holdfast
