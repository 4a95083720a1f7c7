// The parts of gather(). All are pure, except for what `MachineView` reads.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evidence/machine_view.h"
#include "evidence/run_clock.h"
#include "model/evidence.h"
#include "record/run_record.h"

namespace holdfast::gatherers {

inline std::optional<Bytes> bytes(std::uint64_t value) {
    if (value == format::unknown) return std::nullopt;
    return Bytes{value};
}

// A wait status as waitpid gives it; nothing for -1 and for a status that is not an end.
std::optional<ExitStatus> exit_of(std::int64_t wait_status);

// In the order of record.cgroups; Process::cgroup and events refer to cgroups by slot.
std::vector<CgroupEvidence> cgroups(const RunRecord& record, const RunClock& clock);
std::optional<int> cgroup_index(const RunRecord& record, std::int64_t slot);

// The command first, then by first_seen.
std::vector<ProcessEvidence> processes(const RunRecord& record, const RunClock& clock);
// The process with the role "main": the program, not the script around it.
std::optional<int> main_pid(const RunRecord& record);

HostEvidence host(const RunRecord& record);
std::vector<DiskEvidence> disks(const RunRecord& record);
std::vector<Neighbour> neighbours(const RunRecord& record);
std::vector<SignalSeen> signals(const RunRecord& record, const RunClock& clock);
std::vector<GpuEvidence> gpus(const RunRecord& record, const Evidence& so_far);
PressureEvidence pressure(std::span<const format::Sample> samples);

// What the agents recorded. `memory` has the limit that growth is compared with.
std::vector<AgentEvidence> agents(const RunRecord& record, const RunClock& clock,
                                  const Evidence& so_far);
std::vector<CrashEvidence> crashes(const RunRecord& record, const RunClock& clock);
// Python stacks that the supervisor read from outside.
std::vector<StacksEvidence> stacks(const RunRecord& record, const RunClock& clock);
// Times without movement, oldest first.
std::vector<StallEvidence> stalls(const RunRecord& record, const RunClock& clock);
// That reached this process.
std::vector<SignalSeen> signals_of(const AgentRecord& agent, const RunClock& clock);
// Adds what the agents know to the rest of the evidence: the traceback, the senders of signals, and
// what could not be seen.
void agent_report(const RunRecord& record, const RunClock& clock, Evidence& evidence);

// `own_chain`: the main process's cgroup, null when unknown.
MemorySummary memory(const RunRecord& record, const RunClock& clock,
                     const CgroupEvidence* own_chain);

struct LogLine {
    RunTime time{};
    sources::KernelRecord record;
};
// What the lines say, oldest first; the two lines of one OOM kill become one entry.
std::vector<KernelLogEntry> classify(const std::vector<LogLine>& lines);
std::vector<KernelLogEntry> kernel_log(const RunRecord& record, const RunClock& clock);

struct StderrText {
    std::string tail;
    bool seen = false;
    std::optional<Missing> missing;  // why it was not seen
};
inline constexpr std::size_t stderr_limit = 64U << 10U;
StderrText stderr_text(const RunRecord& record, const MachineView& machine);

// Whether the supervisor was lost before it had written everything down, and what became of the
// command; then what the machine shows about the time when nobody watched.
void aftermath(const RunRecord& record, const MachineView& machine, const RunClock& clock,
               Evidence& evidence);

}  // namespace holdfast::gatherers
