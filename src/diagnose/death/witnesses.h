// What is known about a process that died: from its agent and its crash handler inside it, and
// about a crash also from the kernel and from faulthandler.
#pragma once

#include <optional>

#include "diagnose/death/death.h"
#include "diagnose/finding.h"
#include "model/statement.h"

namespace holdfast {

// The agent of this process. If the pid was reused, the last agent that began before the end.
const AgentEvidence* agent_of(const Death& death);

// The crash that ended it: recorded by this process, of the signal it died of, and not survived.
const CrashEvidence* crash_of(const Death& death);

// Another process sent the signal, as `kill -SEGV` does: there was no fault.
bool was_sent(const CrashEvidence& crash);
// The process sent the signal to itself. abort() always does; for SIGSEGV and its kin it means that
// there was no fault.
bool was_raised(const CrashEvidence& crash);

// A call of sys.exit, os._exit or exit (the last only from Python code) that fits the exit status.
const ExitCallEvidence* exit_call_of(const Death& death);

// An exit call ended a notebook's kernel while a cell was running. Then status 0 does not mean
// success, because a cell never ends like that.
bool exit_left_a_cell(const Death& death);

// A notebook's kernel that had run a cell, was idle for a second, and had no leak.
bool was_idle_kernel(const Death& death);

// The innermost own frame as a place; nothing where there is none.
std::optional<Where> own_place(const std::vector<Frame>& frames);

// The innermost frame that can be blamed. If it has no symbol, only the library is known.
struct NativePlace {
    std::string symbol, library;
    bool known() const { return !symbol.empty() || !library.empty(); }
};
NativePlace native_place(const CrashEvidence& crash);

// Other reports of a crash than the handler's record: the kernel's line, and faulthandler's dump.

// "python[4242]: segfault at 0 ip ... in libfoo.so[7f..+1000]", "traps: ... trap divide error"
const KernelLogEntry* crash_line(const Death& death);

// faulthandler wrote its dump for a fatal signal: a fault, or a signal that somebody sent.
bool faulthandler_spoke(const Death& death);

// `decided`: the evidence leaves no other explanation. Then it is as certain as the exit status.
Confidence sure_of_crash(const Death& death, bool decided);

}  // namespace holdfast
