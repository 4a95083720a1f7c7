// Where in the user's own code a death happened, in the process itself or in a worker of it.
#pragma once

#include <optional>

#include "diagnose/death/death.h"
#include "model/statement.h"

namespace holdfast {

// The place in a worker that raised an exception which the parent only passes on.
// Pools and data loaders send a worker's traceback along as text: in the message ("Original
// Traceback"), or printed before it ("RemoteTraceback"). Nothing if the parent raised the exception
// itself.
std::optional<Where> place_in_worker(const Death& death, const TracebackText& traceback);

// According to its last words: a traceback, its crash record, or faulthandler's dump.
std::optional<Where> where_it_died(const Death& death);

// Where the main thread was a moment before, for a death without warning. It was usually allocating
// there, because the agent records the place at allocations.
std::optional<Where> where_it_was(const Death& death);

// The line that holds most of the memory which the process asked for, if one does.
std::optional<Where> where_it_holds_most(const AgentEvidence& agent);

// The line that asked for most of what a process held when it was killed for memory. If no line is
// known to have held it, a large block that was still being filled: only its touched pages count.
std::optional<Where> where_memory_went(const Death& death);

}  // namespace holdfast
