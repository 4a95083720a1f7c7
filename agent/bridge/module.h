// The module `_holdfast_agent`; bridge.h says what its functions do.
#pragma once

#include "agent/bridge/api.h"

namespace holdfast::agent {

// A new reference, or null with an exception set.
PyObject* make_agent_module();

}  // namespace holdfast::agent
