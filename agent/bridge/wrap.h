// Built-in functions that wrap the program's own and look like them.
#pragma once

#include "agent/bridge/api.h"

namespace holdfast::agent {

enum class WrapKind {
    seen,     // report(*args), then the function
    watched,  // the function; if it raises, report(exception)
};

// A new reference: the wrapper, or `function` itself when all wrappers are taken. With a null
// function, one that only reports. Null with an exception set when `report` cannot be called.
PyObject* wrap(WrapKind kind, PyObject* function, PyObject* report);

}  // namespace holdfast::agent
