// An object that is called in place of a Python function and looks exactly like it (name, code,
// signature, repr).
#pragma once

#include <cstddef>

#include "agent/bridge/api.h"

namespace holdfast::agent {

// Called with the number that the lookalike was made with.
using CallByNumber = PyObject* (*)(std::size_t number, PyObject* arguments, PyObject* keywords);

// A new reference, or null with an exception set. In a class it binds as a function does.
PyObject* make_lookalike(PyObject* function, std::size_t number, CallByNumber how);

}  // namespace holdfast::agent
