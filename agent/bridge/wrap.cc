#include "agent/bridge/wrap.h"

#include <atomic>
#include <utility>

#include "agent/bridge/call.h"
#include "agent/bridge/lookalike.h"

namespace holdfast::agent {
namespace {

// A built-in shows its `self` in its repr, so a wrapper that must look like sys.exit cannot keep
// its own data there. Instead each wrapper has its own C function, from a fixed supply.
constexpr std::size_t most_wrappers = 96;

struct Wrapper {
    WrapKind kind;
    PyObject* function;
    PyObject* report;
    PyMethodDef method;
};
Wrapper wrappers[most_wrappers];
std::atomic<std::size_t> wrappers_used{0};

PyObject* call_watched(const Wrapper& self, PyObject* arguments, PyObject* keywords) {
    PyObject* result = py.PyObject_Call(self.function, arguments, keywords);
    if (result != nullptr) return result;
    Owned type;
    Owned value;
    Owned traceback;
    py.PyErr_Fetch(type.into(), value.into(), traceback.into());
    py.PyErr_NormalizeException(type.into(), value.into(), traceback.into());
    // An `except` clause does the same; until then the exception has no traceback.
    if (value && traceback) py.PyException_SetTraceback(value.get(), traceback.get());
    const Owned arguments_of_report(py.PyTuple_New(1));
    if (value && arguments_of_report) {
        py.Py_IncRef(value.get());  // the tuple takes it
        py.PyTuple_SetItem(arguments_of_report.get(), 0, value.get());
        if (call_own(self.report, arguments_of_report.get()) == CallOutcome::passed) return nullptr;
    }
    if (py.PyErr_Occurred() != nullptr) py.PyErr_Clear();
    py.PyErr_Restore(type.release(), value.release(), traceback.release());
    return nullptr;
}

PyObject* call_seen(const Wrapper& self, PyObject* arguments, PyObject* keywords) {
    if (call_own(self.report, arguments) == CallOutcome::passed) return nullptr;
    if (self.function != nullptr) return py.PyObject_Call(self.function, arguments, keywords);
    py.Py_IncRef(py.none);
    return py.none;
}

PyObject* call_wrapper(std::size_t number, PyObject* arguments, PyObject* keywords) {
    const Wrapper& self = wrappers[number];
    return self.kind == WrapKind::seen ? call_seen(self, arguments, keywords)
                                       : call_watched(self, arguments, keywords);
}

template <std::size_t N>
PyObject* enter(PyObject*, PyObject* arguments, PyObject* keywords) {
    return call_wrapper(N, arguments, keywords);
}

using Entry = PyObject* (*)(PyObject*, PyObject*, PyObject*);
template <std::size_t... N>
constexpr auto make_entries(std::index_sequence<N...>) {
    struct Entries {
        Entry at[sizeof...(N)];
    };
    return Entries{{&enter<N>...}};
}
constexpr auto entries = make_entries(std::make_index_sequence<most_wrappers>{});

// An attribute of the wrapped function, or null.
PyObject* attribute(PyObject* function, const char* name) {
    if (function == nullptr) return nullptr;
    PyObject* value = py.PyObject_GetAttrString(function, name);
    if (value == nullptr) py.PyErr_Clear();
    return value;
}

const char* text_of(PyObject* text) {
    if (text == nullptr || text == py.none) return nullptr;
    const char* characters = py.PyUnicode_AsUTF8AndSize(text, nullptr);
    if (characters == nullptr) py.PyErr_Clear();
    return characters;
}

// A built-in's signature is the head of its C doc string; inspect.signature() reads it from there.
PyObject* full_doc(PyObject* function, PyObject* name) {
    PyObject* doc = attribute(function, "__doc__");
    const Owned signature(attribute(function, "__text_signature__"));
    if (doc == nullptr || doc == py.none || text_of(signature.get()) == nullptr ||
        text_of(name) == nullptr)
        return doc;
    PyObject* whole = py.unicode_from_format("%U%U\n--\n\n%U", name, signature.get(), doc);
    if (whole == nullptr) py.PyErr_Clear();
    return whole == nullptr ? doc : whole;
}

}  // namespace

PyObject* wrap(WrapKind kind, PyObject* function, PyObject* report) {
    const std::size_t number = wrappers_used.fetch_add(1);
    if (number >= most_wrappers) {
        wrappers_used.store(most_wrappers);
        PyObject* same = function == nullptr ? py.none : function;
        py.Py_IncRef(same);
        return same;
    }
    Wrapper& self = wrappers[number];
    self.kind = kind;
    self.function = function;
    self.report = report;
    if (function != nullptr) py.Py_IncRef(function);
    py.Py_IncRef(report);
    if (function != nullptr && py.PyObject_IsInstance(function, py.builtin_type) != 1)
        return make_lookalike(function, number, &call_wrapper);
    // The name and the text stay alive with these references, which are never given back.
    PyObject* name = attribute(function, "__name__");
    const char* shown = text_of(name);
    PyObject* doc = full_doc(function, name);
    self.method = {shown == nullptr ? "hook" : shown, entries.at[number], method_varargs_keywords,
                   text_of(doc)};
    const Owned owner(attribute(function, "__self__"));
    const Owned module(attribute(function, "__module__"));
    return py.PyCFunction_NewEx(&self.method, owner.get() == py.none ? nullptr : owner.get(),
                                module.get());
}

}  // namespace holdfast::agent
