#include "agent/bridge/lookalike.h"

#include <cstring>

#include "agent/bridge/call.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

// What each object carries behind the interpreter's own header, whose size depends on the build.
struct Body {
    PyObject* function;
    std::size_t number;
    PyObject* weak_references;  // the interpreter's
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

// A function is pickled and copied as a name, by whoever looks at its type. This is what an object
// of another type answers for it to be done so.
PyObject* reduce(PyObject* self, PyObject*, PyObject*) {
    return py.PyObject_GetAttrString(body(self).function, "__qualname__");
}
PyMethodDef reduce_method{"__reduce_ex__", &reduce, method_varargs_keywords, nullptr};

PyObject* get_attribute(PyObject* self, PyObject* name) {
    const char* text = py.PyUnicode_AsUTF8AndSize(name, nullptr);
    if (text == nullptr) return nullptr;
    if (std::strcmp(text, reduce_method.name) == 0)
        return py.PyCFunction_NewEx(&reduce_method, self, nullptr);
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

struct Member {
    const char* name;
    int type;
    PySize offset;
    int flags;
    const char* doc;
};
constexpr int size_member = 19, read_only = 1, members_slot = 72;

// 3.8 takes it for an ordinary member: PyTypeObject.tp_basicsize and tp_weaklistoffset.
void set_weak_offset(PyObject* type, PySize basic_size, PySize offset) {
    auto* bytes = reinterpret_cast<char*>(type);
    PySize there = 0;
    std::memcpy(&there, bytes + 32, sizeof there);
    if (there == basic_size) std::memcpy(bytes + 208, &offset, sizeof offset);
}

PyObject* make_type() {
    PyObject* builtins = py.PyDict_GetItemString(py.PyImport_GetModuleDict(), "builtins");
    const Owned object(builtins == nullptr ? nullptr
                                           : py.PyObject_GetAttrString(builtins, "object"));
    const Owned size(object ? py.PyObject_GetAttrString(object.get(), "__basicsize__") : nullptr);
    if (!size) return nullptr;
    header_size = static_cast<std::size_t>(py.PyLong_AsLongLong(size.get()));
    static Slot slots[] = {
        {50, reinterpret_cast<void*>(&call)},
        {54, reinterpret_cast<void*>(&bind)},
        {58, reinterpret_cast<void*>(&get_attribute)},
        {66, reinterpret_cast<void*>(&represent)},
        {69, reinterpret_cast<void*>(&set_attribute)},
        {0, nullptr},
        {0, nullptr},
    };
    static Spec spec{"builtins.function", 0, 0, 1U << 18U, slots};
    spec.basic_size = static_cast<int>(header_size + sizeof(Body));
    static Member members[] = {{"__weaklistoffset__", size_member, 0, read_only, nullptr}, {}};
    members[0].offset = static_cast<PySize>(header_size + offsetof(Body, weak_references));
    const bool said_so = python_version().minor >= 9;
    if (said_so) slots[5] = {members_slot, static_cast<void*>(members)};
    PyObject* type = py.PyType_FromSpec(&spec);
    if (type != nullptr && !said_so) set_weak_offset(type, spec.basic_size, members[0].offset);
    return type;
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
    body(made).function = function;
    body(made).number = number;
    return made;
}

}  // namespace holdfast::agent
