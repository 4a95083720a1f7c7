// The place in a worker where an exception was raised that the parent only passes on.
#pragma once

#include <optional>

#include "diagnose/death/death.h"
#include "model/statement.h"

namespace holdfast {

// Pools and data loaders send a worker's traceback along as text: in the message ("Original
// Traceback"), or printed before ("RemoteTraceback"). Nothing where the parent's own line counts.
std::optional<Where> place_in_worker(const Death& death, const TracebackText& traceback);

}  // namespace holdfast
