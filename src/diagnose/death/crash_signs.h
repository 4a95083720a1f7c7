// What else is known of a crash, apart from the handler's record: the kernel's line, faulthandler's
// dump.
#pragma once

#include "diagnose/death/death.h"
#include "diagnose/finding.h"

namespace holdfast {

// "python[4242]: segfault at 0 ip ... in libfoo.so[7f..+1000]", "traps: ... trap divide error"
const KernelLogEntry* crash_line(const Death& death);

// faulthandler wrote its dump for a fatal signal: the process raised it itself, or was sent it.
bool faulthandler_spoke(const Death& death);

// `decided`: what was seen leaves no other explanation; then it is as certain as the exit status.
Confidence sure_of_crash(const Death& death, bool decided);

}  // namespace holdfast
