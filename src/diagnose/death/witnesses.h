// What was recorded of a process that died: inside it by its agent and its crash handler, and of a
// crash by the kernel and by faulthandler.
#pragma once

#include <optional>

#include "diagnose/death/death.h"
#include "diagnose/finding.h"
#include "model/statement.h"

namespace holdfast {

// The agent of this process; of several (a pid used again) the last that began before the end.
const AgentEvidence* agent_of(const Death& death);

// The crash that ended it: recorded by this process, of the signal it died of, and not survived.
const CrashEvidence* crash_of(const Death& death);

// A fault's signal that somebody sent, like `kill -SEGV`: no fault happened.
bool was_sent(const CrashEvidence& crash);
// The program sent it to itself: abort() always does; for the signal of a fault it means that there
// was no fault.
bool was_raised(const CrashEvidence& crash);

// A call of sys.exit, os._exit or exit below Python that fits the exit status.
const ExitCallEvidence* exit_call_of(const Death& death);

// A notebook's cell was running, and an exit call in it ended the kernel. Then status 0 does not
// mean success, because no cell ends like that.
bool exit_left_a_cell(const Death& death);

// A notebook's kernel that had run a cell, ran none for a second, and grew by nothing that was
// seen.
bool was_idle_kernel(const Death& death);

// The innermost own frame as a place; nothing where there is none.
std::optional<Where> own_place(const std::vector<Frame>& frames);

// The innermost frame that is not everybody's. Without a symbol, the library alone is known.
struct NativePlace {
    std::string symbol, library;
    bool known() const { return !symbol.empty() || !library.empty(); }
};
NativePlace native_place(const CrashEvidence& crash);

// What else is known of a crash, apart from the handler's record: the kernel's line, and
// faulthandler's dump.

// "python[4242]: segfault at 0 ip ... in libfoo.so[7f..+1000]", "traps: ... trap divide error"
const KernelLogEntry* crash_line(const Death& death);

// faulthandler wrote its dump for a fatal signal: the process raised it itself, or was sent it.
bool faulthandler_spoke(const Death& death);

// `decided`: what was seen leaves no other explanation; then it is as certain as the exit status.
Confidence sure_of_crash(const Death& death, bool decided);

}  // namespace holdfast
