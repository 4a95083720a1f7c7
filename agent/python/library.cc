#include "agent/python/library.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <new>

#include "agent/base/private_memory.h"
#include "agent/base/self_memory.h"
#include "agent/base/spin_lock.h"
#include "frames/known_layouts.h"
#include "frames/walk.h"

namespace holdfast::agent {

namespace {

constexpr int most_doubts = 16;

constinit std::atomic<const PythonLibrary*> known{nullptr};
constinit std::atomic<bool> looked{false};

template <class T>
void find(void* from, const char* name, T& into) {
    if (void* symbol = ::dlsym(from, name)) into = reinterpret_cast<T>(symbol);
}

constexpr std::size_t longest_path = 1024;

// A library loaded with RTLD_LOCAL is not in the global scope; its name gives it away. Only noted
// here: the loader's locks are held, and dlopen would take them in the other order.
int note_libpython(dl_phdr_info* info, std::size_t, void* out) {
    const char* name = info->dlpi_name;
    if (name == nullptr || ::strstr(name, "/libpython3") == nullptr) return 0;
    const std::size_t size = ::strlen(name) + 1;
    if (size > longest_path) return 0;
    std::memcpy(out, name, size);
    return 1;
}

// RTLD_DEFAULT is itself a null pointer, so success is returned separately.
bool find_python(void*& in) {
    in = RTLD_DEFAULT;
    if (::dlsym(in, "Py_IsInitialized") != nullptr) return true;
    char path[longest_path];
    if (::dl_iterate_phdr(note_libpython, path) == 0) return false;
    // Takes a reference for good, so that the library and our pointers into it stay.
    in = ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    return in != nullptr && ::dlsym(in, "Py_IsInitialized") != nullptr;
}

// "3.10.13 (main, ...)"
std::uint32_t version_from_text(const char* text) {
    std::uint32_t part[3] = {};
    for (int i = 0; text != nullptr && i < 3; ++i) {
        while (*text >= '0' && *text <= '9')
            part[i] = (part[i] * 10 + static_cast<std::uint32_t>(*text++ - '0')) & 0xFFU;
        if (*text++ != '.') break;
    }
    return part[0] << 24U | part[1] << 16U | part[2] << 8U;
}

std::uint32_t version_number(void* from) {
    const unsigned long* number = nullptr;
    find(from, "Py_Version", number);
    if (number != nullptr) return static_cast<std::uint32_t>(*number);
    const char* (*text)() = nullptr;
    find(from, "Py_GetVersion", text);
    return text != nullptr ? version_from_text(text()) : 0;
}

void find_loop(void* from, PythonLibrary& out) {
    void* loop = ::dlsym(from, "_PyEval_EvalFrameDefault");
    Dl_info library;
    ElfW(Sym)* symbol = nullptr;
    if (loop == nullptr ||
        ::dladdr1(loop, &library, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0 ||
        symbol == nullptr)
        return;
    out.loop_begin = reinterpret_cast<std::uintptr_t>(loop);
    out.loop_end = out.loop_begin + symbol->st_size;
}

void learn(void* from, PythonLibrary& out) {
    find(from, "Py_IsInitialized", out.is_initialized);
    find(from, "PyGILState_GetThisThreadState", out.thread_of_gil_state);
    find(from, "_Py_IsFinalizing", out.is_finalizing);
    find(from, "Py_IsFinalizing", out.is_finalizing);
    find(from, "_PyRuntime", out.runtime);
    find(from, "PyCode_Type", out.code_type);
    const std::uint32_t version = version_number(from);
    out.version.major = version >> 24U;
    out.version.minor = (version >> 16U) & 0xFFU;
    out.version.micro = (version >> 8U) & 0xFFU;
    // Before 3.12 this is the thread that has the GIL, which may be another one.
    if (version >= 0x030C0000) {
        find(from, "_PyThreadState_UncheckedGet", out.attached_thread);
        find(from, "PyThreadState_GetUnchecked", out.attached_thread);
    }
    find(from, "_PyThreadState_UncheckedGet", out.running_thread);
    find(from, "PyThreadState_GetUnchecked", out.running_thread);
    find_loop(from, out);
    frames::TrustedMemory memory;
    out.version.lines =
        out.runtime != 0 && out.code_type != 0 && out.thread_of_gil_state != nullptr &&
        (version < 0x030D0000 || frames::stated_version(memory, out.runtime) == version) &&
        frames::find_layout(memory, out.runtime, version, out.layout);
    out.version.free_threaded = out.version.lines && out.layout.free_threaded;
}

const PythonLibrary* look() {
    const Busy busy_here;
    void* from = nullptr;
    if (!find_python(from)) return nullptr;
    void* room = kept_on_fork(sizeof(PythonLibrary));
    if (room == nullptr) return nullptr;
    auto* found = new (room) PythonLibrary;
    learn(from, *found);
    // Two threads may look at once. One of the two pages is then lost; a lock could break at fork.
    const PythonLibrary* first = nullptr;
    return known.compare_exchange_strong(first, found, std::memory_order_acq_rel) ? found : first;
}

}  // namespace

const PythonLibrary* python_library() { return known.load(std::memory_order_acquire); }

bool python_here(bool look_again) {
    if (python_library() != nullptr) return true;
    if (!look_again && looked.load(std::memory_order_relaxed)) return false;
    looked.store(true, std::memory_order_relaxed);
    const KeepErrno keep;
    return look() != nullptr;
}

bool python_running() {
    const PythonLibrary* python = python_library();
    return python != nullptr && python->is_initialized != nullptr &&
           python->is_initialized() != 0 &&
           (python->is_finalizing == nullptr || python->is_finalizing() == 0);
}

RunningPython python_version() {
    const PythonLibrary* python = python_library();
    return python != nullptr ? python->version : RunningPython{};
}

bool trusted(const PythonLibrary& python, std::uintptr_t own_thread) {
    const int doubts = python.doubts.load(std::memory_order_relaxed);
    if (doubts == PythonLibrary::no_doubt) return true;
    if (doubts >= most_doubts) return false;
    const KeepErrno keep;
    SelfMemory source;
    frames::CachedMemory<SelfMemory, 256, 4> memory(source);
    frames::ThreadState thread;
    const bool fits = frames::layout_holds(memory, python.layout, python.runtime) &&
                      frames::load_thread(memory, python.layout, own_thread, thread) &&
                      thread.pthread == static_cast<std::uint64_t>(::pthread_self());
    // If the kernel forbids reading, this cannot be checked; then the version must do.
    const bool good = fits || source.refused();
    python.doubts.store(good ? PythonLibrary::no_doubt : doubts + 1, std::memory_order_relaxed);
    return good;
}

bool holds_interpreter_lock(const PythonLibrary& python) {
    void* running = python.running_thread != nullptr ? python.running_thread() : nullptr;
    if (running == nullptr) return false;
    return python.version.minor >= 12 || running == python.thread_of_gil_state();
}

std::uintptr_t own_thread_state(const PythonLibrary& python) {
    void* thread = python.attached_thread != nullptr ? python.attached_thread() : nullptr;
    if (thread == nullptr) thread = python.thread_of_gil_state();
    const auto address = reinterpret_cast<std::uintptr_t>(thread);
    std::uintptr_t ender = 0;
    frames::TrustedMemory memory;
    load(memory, python.runtime + python.layout.runtime_finalizing, ender);
    return ender == 0 || ender == address ? address : 0;
}

}  // namespace holdfast::agent
