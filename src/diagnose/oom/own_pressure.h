// Whether the memory or CPU pressure of the machine slowed this program.
#pragma once

#include "diagnose/death/death.h"

namespace holdfast {

// Pressure is measured for the whole machine, and a neighbour that thrashes at its own limit raises
// it, too. So the program's own processes must have waited for pages.
bool had_to_wait_for_pages(const Death& death);

// Memory was short for the program: on the machine, at a limit of its cgroups, or because it was
// partly in swap.
bool memory_was_short(const Death& death);

// False for a process that always used exactly one full core: it never waited for a CPU, whatever
// others did. With several busy threads this cannot be known.
bool may_have_waited_for_cpu(const Death& death);

}  // namespace holdfast
