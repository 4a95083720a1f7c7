#include "agent/bridge/hooks.h"

#include <cstring>

#include "agent/base/text.h"
#include "agent/bridge/call.h"

namespace holdfast::agent {
namespace {

PyObject* agent_module = nullptr;
PyObject* loaded = nullptr;    // name -> module
PyObject* builtins = nullptr;  // a copy of our own, with our own __import__

// import inside a hook. It never makes the program import anything.
PyObject* find_module(PyObject*, PyObject* arguments, PyObject*) {
    const char* name = nullptr;
    if (py.PyTuple_Size(arguments) > 0)
        name = py.PyUnicode_AsUTF8AndSize(py.PyTuple_GetItem(arguments, 0), nullptr);
    if (name == nullptr) {
        py.PyErr_Clear();
        py.PyErr_SetString(py.type_error, "a module has a name");
        return nullptr;
    }
    const Text wanted = Text::of(name);
    if (wanted.starts_with("hooks.")) return load_hook(name);
    PyObject* found = wanted == Text("_holdfast_agent")
                          ? agent_module
                          : py.PyDict_GetItemString(py.PyImport_GetModuleDict(), name);
    if (found == nullptr) {
        py.PyErr_SetString(py.import_error, name);
        return nullptr;
    }
    py.Py_IncRef(found);
    return found;
}

PyMethodDef import_method{"__import__", &find_module, method_varargs_keywords, nullptr};

const HookSource* source_of(const char* name) {
    for (std::size_t i = 0; i < hook_source_count; ++i)
        if (std::strcmp(hook_sources[i].name, name) == 0) return &hook_sources[i];
    return nullptr;
}

}  // namespace

bool prepare_hooks(PyObject* module) {
    PyObject* real = py.PyDict_GetItemString(py.PyImport_GetModuleDict(), "builtins");
    if (real == nullptr) return false;
    // The program may patch or empty `builtins` later; hooks go on with this copy.
    PyObject* names = py.PyModule_GetDict(real);
    Owned copy(names == nullptr ? nullptr : py.PyDict_Copy(names));
    Owned modules(py.PyDict_New());
    const Owned importer(py.PyCFunction_NewEx(&import_method, nullptr, nullptr));
    if (!copy || !modules || !importer ||
        py.PyDict_SetItemString(copy.get(), "__import__", importer.get()) != 0)
        return false;
    py.Py_IncRef(module);
    agent_module = module;
    builtins = copy.release();
    loaded = modules.release();
    return true;
}

PyObject* load_hook(const char* name) {
    if (loaded == nullptr) {
        py.PyErr_SetString(py.import_error, name);
        return nullptr;
    }
    if (PyObject* known = py.PyDict_GetItemString(loaded, name)) {
        py.Py_IncRef(known);
        return known;
    }
    const HookSource* source = source_of(name);
    if (source == nullptr) {
        py.PyErr_SetString(py.import_error, name);
        return nullptr;
    }
    Owned module(py.PyModule_New(name));
    const Owned code(py.Py_CompileString(source->text, source->file, compile_file_input));
    if (!module || !code) return nullptr;
    PyObject* names = py.PyModule_GetDict(module.get());
    if (py.PyDict_SetItemString(names, "__builtins__", builtins) != 0) return nullptr;
    const Owned result(py.PyEval_EvalCode(code.get(), names, names));
    if (!result || py.PyDict_SetItemString(loaded, name, module.get()) != 0) return nullptr;
    return module.release();
}

}  // namespace holdfast::agent
