// Where in the user's own code a death happened, in the process itself or in a worker of it.
#pragma once

#include <optional>

#include "diagnose/death/death.h"
#include "model/statement.h"

namespace holdfast {

// The place in a worker where an exception was raised that the parent only passes on.
// Pools and data loaders send a worker's traceback along as text: in the message ("Original
// Traceback"), or printed before ("RemoteTraceback"). Nothing where the parent's own line counts.
std::optional<Where> place_in_worker(const Death& death, const TracebackText& traceback);

// As far as its last words say: a traceback, its crash record, or faulthandler's dump.
std::optional<Where> where_it_died(const Death& death);

// Where the main thread was a moment before: for a death without warning. It usually asks for
// memory there, because that is when the agent records the place.
std::optional<Where> where_it_was(const Death& death);

// The line that holds most of the memory which the process asked for, if one does.
std::optional<Where> where_it_holds_most(const AgentEvidence& agent);

}  // namespace holdfast
