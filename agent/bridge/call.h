// Calls from the agent into its own Python code, unseen by tracers. Our own errors are noted and
// dropped; errors of the program must reach the program.
#pragma once

#include "agent/bridge/api.h"

namespace holdfast::agent {

// A reference that is given back at the end of the scope.
class Owned {
public:
    Owned() = default;
    explicit Owned(PyObject* object) : object_(object) {}
    ~Owned() {
        if (object_ != nullptr) py.Py_DecRef(object_);
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    PyObject* get() const { return object_; }
    PyObject** into() { return &object_; }
    PyObject* release() {
        PyObject* object = object_;
        object_ = nullptr;
        return object;
    }
    explicit operator bool() const { return object_ != nullptr; }

private:
    PyObject* object_ = nullptr;
};

// While it exists, debuggers, profilers and coverage tools do not see what this thread runs, and
// the guard refuses it nothing.
class Untraced {
public:
    Untraced();
    ~Untraced();
    Untraced(const Untraced&) = delete;
    Untraced& operator=(const Untraced&) = delete;

private:
    void* thread_;
    bool nested_;
};

enum class CallOutcome {
    done,
    failed,  // our own failure: noted, no exception is set
    passed,  // an exception of the program's is set (Ctrl-C, a signal handler that raises)
};

// Whether this thread is far enough from its recursion limit. An error for lack of room is ours and
// dropped, but 3.8 and 3.9 remember it: at the program's next one they end the process.
bool has_recursion_room();

// Calls `function(*arguments)`; no exception may be set. The result goes to `result` where asked.
CallOutcome call_own(PyObject* function, PyObject* arguments, PyObject** result = nullptr);

// Sorts the exception that is set.
CallOutcome sort_error();

// An exception that was already under way, put back at the end unless another has taken its place.
class KeptError {
public:
    KeptError() { py.PyErr_Fetch(&type_, &value_, &traceback_); }
    ~KeptError();
    KeptError(const KeptError&) = delete;
    KeptError& operator=(const KeptError&) = delete;

private:
    PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

}  // namespace holdfast::agent
