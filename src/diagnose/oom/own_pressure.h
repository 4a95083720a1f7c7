// Whether the program itself was slowed by the pressure that the machine's figures show.
#pragma once

#include "diagnose/death/death.h"

namespace holdfast {

// The figures are the machine's: a neighbour that thrashes at a limit of its own moves them as
// well. Pages that came back must have been waited for in the program's own processes.
bool had_to_wait_for_pages(const Death& death);

// Memory was short where the program is: on the machine, below a limit, or a part of it in swap.
bool memory_was_short(const Death& death);

// A process that always used one full core, and no more, never waited for a CPU, however many
// others did. For a process with several busy threads this is not known.
bool may_have_waited_for_cpu(const Death& death);

}  // namespace holdfast
