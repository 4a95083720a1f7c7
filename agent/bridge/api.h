// CPython's C API as the agent needs it, found with dlsym: no header of any one version, and only
// functions that every version from 3.8 on exports.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

struct PyObject;  // never looked into
using PySize = std::ptrdiff_t;

// The interpreter's own layout (stable ABI).
struct PyMethodDef {
    const char* name;
    PyObject* (*function)(PyObject*, PyObject*, PyObject*);
    int flags;
    const char* doc;
};
inline constexpr int method_varargs_keywords = 0x0001 | 0x0002;
inline constexpr int compile_file_input = 257;

// clang-format off
#define HOLDFAST_PYTHON_API(X) \
    X(void,        Py_IncRef, (PyObject*)) \
    X(void,        Py_DecRef, (PyObject*)) \
    X(PyObject*,   PyErr_Occurred, ()) \
    X(void,        PyErr_Clear, ()) \
    X(void,        PyErr_Fetch, (PyObject**, PyObject**, PyObject**)) \
    X(void,        PyErr_Restore, (PyObject*, PyObject*, PyObject*)) \
    X(void,        PyErr_NormalizeException, (PyObject**, PyObject**, PyObject**)) \
    X(int,         PyErr_GivenExceptionMatches, (PyObject*, PyObject*)) \
    X(void,        PyErr_SetString, (PyObject*, const char*)) \
    X(int,         PyException_SetTraceback, (PyObject*, PyObject*)) \
    X(PyObject*,   PyModule_New, (const char*)) \
    X(PyObject*,   PyModule_GetDict, (PyObject*)) \
    X(PyObject*,   PyImport_GetModuleDict, ()) \
    X(PyObject*,   PyEval_EvalCode, (PyObject*, PyObject*, PyObject*)) \
    X(PyObject*,   Py_CompileString, (const char*, const char*, int)) \
    X(PyObject*,   PyCFunction_NewEx, (PyMethodDef*, PyObject*, PyObject*)) \
    X(PyObject*,   PyDict_New, ()) \
    X(PyObject*,   PyDict_Copy, (PyObject*)) \
    X(PySize,      PyDict_Size, (PyObject*)) \
    X(PyObject*,   PyDict_GetItemString, (PyObject*, const char*)) \
    X(int,         PyDict_SetItemString, (PyObject*, const char*, PyObject*)) \
    X(PyObject*,   PyTuple_New, (PySize)) \
    X(PySize,      PyTuple_Size, (PyObject*)) \
    X(PyObject*,   PyTuple_GetItem, (PyObject*, PySize)) \
    X(int,         PyTuple_SetItem, (PyObject*, PySize, PyObject*)) \
    X(PyObject*,   PyTuple_GetSlice, (PyObject*, PySize, PySize)) \
    X(PySize,      PyObject_Size, (PyObject*)) \
    X(PyObject*,   PySequence_GetItem, (PyObject*, PySize)) \
    X(long long,   PyLong_AsLongLong, (PyObject*)) \
    X(PyObject*,   PyLong_FromLongLong, (long long)) \
    X(double,      PyFloat_AsDouble, (PyObject*)) \
    X(PyObject*,   PyFloat_FromDouble, (double)) \
    X(PyObject*,   PyUnicode_FromString, (const char*)) \
    X(PyObject*,   PyUnicode_AsEncodedString, (PyObject*, const char*, const char*)) \
    X(const char*, PyUnicode_AsUTF8AndSize, (PyObject*, PySize*)) \
    X(int,         PyBytes_AsStringAndSize, (PyObject*, char**, PySize*)) \
    X(PyObject*,   PyObject_Call, (PyObject*, PyObject*, PyObject*)) \
    X(PyObject*,   PyObject_GetAttr, (PyObject*, PyObject*)) \
    X(int,         PyObject_SetAttr, (PyObject*, PyObject*, PyObject*)) \
    X(PyObject*,   PyObject_Repr, (PyObject*)) \
    X(PyObject*,   PyMethod_New, (PyObject*, PyObject*)) \
    X(PyObject*,   PyType_FromSpec, (void*)) \
    X(PyObject*,   PyObject_GetAttrString, (PyObject*, const char*)) \
    X(int,         PyObject_SetAttrString, (PyObject*, const char*, PyObject*)) \
    X(int,         PyObject_IsTrue, (PyObject*)) \
    X(int,         PyObject_IsInstance, (PyObject*, PyObject*)) \
    X(void*,       PyEval_SaveThread, ()) \
    X(void,        PyEval_RestoreThread, (void*)) \
    X(void*,       PyThreadState_Get, ()) \
    X(int,         Py_GetRecursionLimit, ()) \
    X(int,         PyThreadState_SetAsyncExc, (unsigned long, PyObject*)) \
    X(void*,       PyInterpreterState_Main, ())
// clang-format on

struct PythonApi {
#define X(result, name, parameters) result(*name) parameters = nullptr;
    HOLDFAST_PYTHON_API(X)
#undef X
    // Absent in some versions.
    void* (*interpreter)() = nullptr;        // of the calling thread
    void (*enter_tracing)(void*) = nullptr;  // 3.11
    void (*leave_tracing)(void*) = nullptr;
    PyObject* (*unicode_from_format)(const char*, ...) = nullptr;
    PyObject* none = nullptr;
    PyObject* integer_type = nullptr;
    PyObject* builtin_type = nullptr;
    PyObject* type_error = nullptr;
    PyObject* import_error = nullptr;
    PyObject* memory_error = nullptr;
    PyObject* exception = nullptr;
};

using AddPendingCall = int (*)(int (*)(void*), void*);

// Py_AddPendingCall, or null while there is none. Only the main thread looks for it: asking the
// loader may wait for a dlopen on another thread, whose constructors may wait for ours.
AddPendingCall add_pending_call();

// Null when something is missing. With the GIL held, on the main thread, the first time.
const PythonApi* find_python_api();
// After that has succeeded.
extern PythonApi py;

// Where a symbol of this process's CPython lies, in a library loaded with RTLD_LOCAL as well.
void* python_symbol(const char* name);

}  // namespace holdfast::agent
