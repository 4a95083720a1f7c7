#include "agent/bridge/call.h"

#include <cstring>

#include "agent/base/spin_lock.h"
#include "agent/base/text.h"
#include "agent/box/events.h"
#include "agent/bridge/hooks.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

// PyThreadState.tracing in 3.8 to 3.10, which have no function for it. The structure is public
// there and the same on every 64-bit Linux.
constexpr std::size_t tracing_before_3_11 = 44;

int* tracing_field(void* thread) {
    const RunningPython version = python_version();
    if (version.major != 3 || version.minor < 8 || version.minor > 10) return nullptr;
    return reinterpret_cast<int*>(static_cast<char*>(thread) + tracing_before_3_11);
}

// Where a thread state counts its calls, the same on every 64-bit Linux: how deep it is,
// before 3.11; from then on how many are left, and behind that the limit.
constexpr std::size_t depth_before_3_11 = 32;
constexpr std::size_t room_in_3_11 = 32, room_in_3_12 = 28, room_in_3_13 = 44, room_in_3_14 = 48;
// More than our functions nest. At the end the interpreter itself grants another 50.
constexpr int enough_room = 64;

int number_at(const void* thread, std::size_t offset) {
    int number = 0;
    std::memcpy(&number, static_cast<const char*>(thread) + offset, sizeof number);
    return number;
}

void note_failure(Text text) {
    static bool noted = false;  // guarded by the GIL; one is enough to know that something is wrong
    if (noted) return;
    noted = true;
    note(format::AgentNoteKind::hook_failed, text);
}

// The answer of hooks/failures.py: (True, traceback or None) to pass on, or (False, text).
CallOutcome judge(PyObject* type, PyObject* value, PyObject* traceback) {
    const Owned module(load_hook("hooks.failures"));
    const Owned function(module ? py.PyObject_GetAttrString(module.get(), "judge") : nullptr);
    const Owned arguments(py.PyTuple_New(0));
    const Owned keywords(py.PyDict_New());
    if (!function || !arguments || !keywords ||
        py.PyDict_SetItemString(keywords.get(), "error", value) != 0 ||
        py.PyDict_SetItemString(keywords.get(), "traceback",
                                traceback == nullptr ? py.none : traceback) != 0)
        return CallOutcome::failed;
    const Owned verdict(py.PyObject_Call(function.get(), arguments.get(), keywords.get()));
    if (!verdict || py.PyTuple_Size(verdict.get()) != 2) return CallOutcome::failed;
    PyObject* detail = py.PyTuple_GetItem(verdict.get(), 1);
    if (py.PyObject_IsTrue(py.PyTuple_GetItem(verdict.get(), 0)) != 1) {
        PySize size = 0;
        const char* text = py.PyUnicode_AsUTF8AndSize(detail, &size);
        if (text != nullptr) note_failure({text, static_cast<std::size_t>(size)});
        return CallOutcome::failed;
    }
    // Without our own frames.
    py.PyException_SetTraceback(value, detail);
    py.Py_IncRef(type);
    py.Py_IncRef(value);
    if (detail != py.none) py.Py_IncRef(detail);
    py.PyErr_Restore(type, value, detail == py.none ? nullptr : detail);
    return CallOutcome::passed;
}

}  // namespace

bool has_recursion_room() {
    const RunningPython version = python_version();
    const void* thread = py.PyThreadState_Get();
    const int limit = py.Py_GetRecursionLimit();
    if (version.major != 3 || version.minor < 8 || version.minor > 14) return true;
    if (version.minor < 11) return limit - number_at(thread, depth_before_3_11) >= enough_room;
    const std::size_t at = version.minor == 11   ? room_in_3_11
                           : version.minor == 12 ? room_in_3_12
                           : version.minor == 13 ? room_in_3_13
                                                 : room_in_3_14;
    // Another layout: nothing is known, and nothing ends for it there.
    if (number_at(thread, at + sizeof(int)) != limit) return true;
    return number_at(thread, at) >= enough_room;
}

Untraced::Untraced() : thread_(py.PyThreadState_Get()), nested_(in_own_python) {
    in_own_python = true;
    if (py.enter_tracing != nullptr)
        py.enter_tracing(thread_);
    else if (int* field = tracing_field(thread_))
        ++*field;
}

Untraced::~Untraced() {
    in_own_python = nested_;
    if (py.enter_tracing != nullptr)
        py.leave_tracing(thread_);
    else if (int* field = tracing_field(thread_))
        --*field;
}

CallOutcome sort_error() {
    Owned type;
    Owned value;
    Owned traceback;
    py.PyErr_Fetch(type.into(), value.into(), traceback.into());
    if (!type) return CallOutcome::failed;
    py.PyErr_NormalizeException(type.into(), value.into(), traceback.into());
    const CallOutcome outcome = judge(type.get(), value.get(), traceback.get());
    if (outcome == CallOutcome::passed) return outcome;
    if (py.PyErr_Occurred() != nullptr) py.PyErr_Clear();
    // failures.py itself failed; still, an interrupt must not be lost.
    if (py.PyErr_GivenExceptionMatches(type.get(), py.exception) == 0) {
        py.PyErr_Restore(type.release(), value.release(), nullptr);
        return CallOutcome::passed;
    }
    note_failure("a hook failed");
    return CallOutcome::failed;
}

CallOutcome call_own(PyObject* function, PyObject* arguments, PyObject** result) {
    if (!has_recursion_room()) return CallOutcome::failed;
    const Untraced quiet;
    const Owned answer(py.PyObject_Call(function, arguments, nullptr));
    if (!answer) return sort_error();
    if (result != nullptr) {
        *result = answer.get();
        py.Py_IncRef(answer.get());
    }
    return CallOutcome::done;
}

KeptError::~KeptError() {
    if (type_ == nullptr) return;
    if (py.PyErr_Occurred() == nullptr) {
        py.PyErr_Restore(type_, value_, traceback_);
        return;
    }
    py.Py_DecRef(type_);
    if (value_ != nullptr) py.Py_DecRef(value_);
    if (traceback_ != nullptr) py.Py_DecRef(traceback_);
}

}  // namespace holdfast::agent
