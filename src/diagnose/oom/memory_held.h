// Who held how much memory when it ended.
#pragma once

#include <optional>

#include "diagnose/death/death.h"

namespace holdfast {

// The last figure of one process.
std::optional<Bytes> held_by(const ProcessEvidence& process);

// The most this process is known to have held: the kernel's figure at an OOM kill where the log has
// it, else the last look and the peak.
std::optional<Bytes> held_at_end(const Death& death);

// The same for the whole tree at that moment. Shared pages count more than once, so this errs
// towards blaming the program and not a neighbour.
std::optional<Bytes> held_by_tree(const Death& death);

// The kernel log's line about the OOM kill of this pid; null in another pid namespace, where the
// log's pids are not ours.
const KernelLogEntry* logged_oom_kill(const Death& death);

// The whole log was read and does not name this process: the OOM killer did not take it.
bool log_clears(const Death& death);

// Less than a twentieth of the machine's memory was available.
bool machine_was_full(const HostEvidence& host);

}  // namespace holdfast
