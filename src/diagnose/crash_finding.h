// A finding about a crash, with all that is known of it: the record of the handler, the kernel's
// line, faulthandler's dump.
#pragma once

#include <string>
#include <string_view>

#include "diagnose/death.h"
#include "model/finding.h"

namespace holdfast {

// "python[4242]: segfault at 0 ip ... in libfoo.so[7f..+1000]", "traps: ... trap divide error"
const KernelLogEntry* crash_line(const Death& death);

// faulthandler wrote its dump for a fatal signal: the process raised it itself, or was sent it.
bool faulthandler_spoke(const Death& death);

// `decided`: what was seen leaves no other explanation; then it is as certain as the exit status.
Finding crash_finding(const Death& death, CauseId cause, std::string_view what, bool decided);

void add_crash_fixes(Finding& finding, const Death& death);

}  // namespace holdfast
