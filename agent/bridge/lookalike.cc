#include "agent/bridge/lookalike.h"

#include "agent/bridge/call.h"

namespace holdfast::agent {
namespace {

// What each object carries behind the interpreter's own header, whose size depends on the build.
struct Body {
    PyObject* function;
    std::size_t number;
};
std::size_t header_size = 0;
CallByNumber call_number = nullptr;

Body& body(PyObject* self) {
    return *reinterpret_cast<Body*>(reinterpret_cast<char*>(self) + header_size);
}

PyObject* call(PyObject* self, PyObject* arguments, PyObject* keywords) {
    return call_number(body(self).number, arguments, keywords);
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
    if (object != nullptr && object != py.none) return py.PyMethod_New(self, object);
    py.Py_IncRef(self);
    return self;
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
    return py.PyObject_GetAttr(body(self).function, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
    return py.PyObject_SetAttr(body(self).function, name, value);
}

PyObject* represent(PyObject* self) { return py.PyObject_Repr(body(self).function); }

// Slot numbers and layouts are part of the stable ABI.
struct Slot {
    int slot;
    void* function;
};
struct Spec {
    const char* name;
    int basic_size;
    int item_size;
    unsigned int flags;
    Slot* slots;
};

PyObject* make_type() {
    PyObject* builtins = py.PyDict_GetItemString(py.PyImport_GetModuleDict(), "builtins");
    const Owned object(builtins == nullptr ? nullptr
                                           : py.PyObject_GetAttrString(builtins, "object"));
    const Owned size(object ? py.PyObject_GetAttrString(object.get(), "__basicsize__") : nullptr);
    if (!size) return nullptr;
    header_size = static_cast<std::size_t>(py.PyLong_AsLongLong(size.get()));
    static Slot slots[] = {
        {50, reinterpret_cast<void*>(&call)},          {54, reinterpret_cast<void*>(&bind)},
        {58, reinterpret_cast<void*>(&get_attribute)}, {66, reinterpret_cast<void*>(&represent)},
        {69, reinterpret_cast<void*>(&set_attribute)}, {0, nullptr},
    };
    static Spec spec{"builtins.function", 0, 0, 1U << 18U, slots};
    spec.basic_size = static_cast<int>(header_size + sizeof(Body));
    return py.PyType_FromSpec(&spec);
}

}  // namespace

PyObject* make_lookalike(PyObject* function, std::size_t number, CallByNumber how) {
    static PyObject* type = nullptr;  // guarded by the GIL
    if (type == nullptr) type = make_type();
    if (type == nullptr) return nullptr;
    call_number = how;
    const Owned nothing(py.PyTuple_New(0));
    PyObject* made = nothing ? py.PyObject_Call(type, nothing.get(), nullptr) : nullptr;
    if (made == nullptr) return nullptr;
    py.Py_IncRef(function);
    body(made) = {function, number};
    return made;
}

}  // namespace holdfast::agent
