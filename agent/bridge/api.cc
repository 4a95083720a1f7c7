#include "agent/bridge/api.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "agent/base/text.h"

namespace holdfast::agent {

PythonApi py;

namespace {

struct Library {
    char path[512];
};

// A libpython that an embedding program brought by dlopen(RTLD_LOCAL): seen in the list of loaded
// objects, not in the global scope.
int pick_libpython(dl_phdr_info* info, std::size_t, void* data) {
    const Text path = Text::of(info->dlpi_name);
    auto* found = static_cast<Library*>(data);
    if (!path.contains("libpython3") || path.contains("libpython3.so") ||
        path.size >= sizeof found->path)
        return 0;
    copy_text(found->path, path);
    return 1;
}

void* own_handle() {
    static std::atomic<void*> handle{nullptr};
    void* known = handle.load(std::memory_order_relaxed);
    if (known != nullptr) return known;
    Library library{};
    if (::dl_iterate_phdr(&pick_libpython, &library) == 0) return nullptr;
    known = ::dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD);
    handle.store(known, std::memory_order_relaxed);
    return known;
}

bool on_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

}  // namespace

void* python_symbol(const char* name) {
    if (void* address = ::dlsym(RTLD_DEFAULT, name)) return address;
    void* handle = own_handle();
    return handle == nullptr ? nullptr : ::dlsym(handle, name);
}

AddPendingCall add_pending_call() {
    static std::atomic<AddPendingCall> known{nullptr};
    AddPendingCall call = known.load(std::memory_order_relaxed);
    if (call != nullptr || !on_main_thread()) return call;
    call = reinterpret_cast<AddPendingCall>(python_symbol("Py_AddPendingCall"));
    known.store(call, std::memory_order_relaxed);
    return call;
}

const PythonApi* find_python_api() {
    static int state = 0;  // 1 complete, 2 incomplete; guarded by the GIL
    if (state != 0) return state == 1 ? &py : nullptr;
    state = 2;
#define X(result, name, parameters)                                         \
    py.name = reinterpret_cast<result(*) parameters>(python_symbol(#name)); \
    if (py.name == nullptr) return nullptr;
    HOLDFAST_PYTHON_API(X)
#undef X
    void* interpreter = python_symbol("PyInterpreterState_Get");
    if (interpreter == nullptr) interpreter = python_symbol("_PyInterpreterState_Get");  // 3.8
    py.interpreter = reinterpret_cast<void* (*)()>(interpreter);
    py.enter_tracing =
        reinterpret_cast<void (*)(void*)>(python_symbol("PyThreadState_EnterTracing"));
    py.leave_tracing =
        reinterpret_cast<void (*)(void*)>(python_symbol("PyThreadState_LeaveTracing"));
    const auto object = [](const char* name) {
        auto** place = static_cast<PyObject**>(python_symbol(name));
        return place == nullptr ? nullptr : *place;
    };
    py.builtin_type = static_cast<PyObject*>(python_symbol("PyCFunction_Type"));
    py.none = static_cast<PyObject*>(python_symbol("_Py_NoneStruct"));
    py.integer_type = static_cast<PyObject*>(python_symbol("PyLong_Type"));
    py.unicode_from_format =
        reinterpret_cast<PyObject* (*)(const char*, ...)>(python_symbol("PyUnicode_FromFormat"));
    py.type_error = object("PyExc_TypeError");
    py.import_error = object("PyExc_ImportError");
    py.memory_error = object("PyExc_MemoryError");
    py.exception = object("PyExc_Exception");
    if (interpreter == nullptr || py.none == nullptr || py.integer_type == nullptr ||
        py.builtin_type == nullptr || py.unicode_from_format == nullptr ||
        py.type_error == nullptr || py.import_error == nullptr || py.memory_error == nullptr ||
        py.exception == nullptr)
        return nullptr;
    state = 1;
    return &py;
}

}  // namespace holdfast::agent
