#include "agent/bridge/module.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <initializer_list>

#include "agent/box/events.h"
#include "agent/box/slot.h"
#include "agent/bridge/bridge.h"
#include "agent/bridge/call.h"
#include "agent/bridge/call_arguments.h"
#include "agent/bridge/hooks.h"
#include "agent/bridge/wrap.h"
#include "agent/guard/brink.h"
#include "agent/guard/brink_call.h"
#include "agent/guard/telling_room.h"
#include "agent/launch/launches.h"
#include "agent/python/stack.h"
#include "agent/signals/table.h"

namespace holdfast::agent {
namespace {

PyObject* nothing() {
    py.Py_IncRef(py.none);
    return py.none;
}

PyObject* refuse(const char* why) {
    py.PyErr_SetString(py.type_error, why);
    return nullptr;
}

std::uint64_t figure(std::int64_t given) {
    return given < 0 ? format::unknown : static_cast<std::uint64_t>(given);
}

PyObject* number(std::uint64_t value) {
    return py.PyLong_FromLongLong(static_cast<long long>(value));
}

// A tuple of figures; it takes the references over, whether that works or not.
PyObject* figures(std::initializer_list<std::uint64_t> values) {
    Owned tuple(py.PyTuple_New(static_cast<PySize>(values.size())));
    PySize at = 0;
    for (const std::uint64_t value : values)
        if (!tuple || py.PyTuple_SetItem(tuple.get(), at++, number(value)) != 0) return nullptr;
    return tuple.release();
}

PyObject* worthless_listener = nullptr;  // guarded by the GIL

// Once. False: an exception of the program's is set.
bool tell_of_worthless_steps() {
    if (worthless_listener == nullptr) return true;
    const std::uint64_t since = worthless_since();
    if (since == 0) return true;
    const Owned listener(worthless_listener);
    worthless_listener = nullptr;
    const Owned given(figures({since}));
    return !given || call_own(listener.get(), given.get()) != CallOutcome::passed;
}

PyObject* step(PyObject*, PyObject* positional, PyObject* keywords) {
    const CallArguments given(positional, keywords);
    double loss = __builtin_nan("");
    bool has_loss = false;
    if (PyObject* value = given.at(0, "loss")) {
        loss = py.PyFloat_AsDouble(value);
        has_loss = py.PyErr_Occurred() == nullptr;
        if (!has_loss) py.PyErr_Clear();
    }
    const std::int64_t allocated = given.integer(1, "gpu_allocated", -1);
    const std::int64_t reserved = given.integer(2, "gpu_reserved", -1);
    const Characters source(given.at(3, "source"));
    note_step(has_loss, loss, figure(allocated), figure(reserved), source.get());
    return tell_of_worthless_steps() ? nothing() : nullptr;
}

PyObject* worthless(PyObject*, PyObject* positional, PyObject* keywords) {
    PyObject* listener = CallArguments(positional, keywords).at(0, "listener");
    if (listener == nullptr) return refuse("a listener is needed");
    py.Py_IncRef(listener);
    worthless_listener = listener;
    return nothing();
}

PyObject* epoch(PyObject*, PyObject* positional, PyObject* keywords) {
    const std::int64_t number = CallArguments(positional, keywords).integer(0, "number", -1);
    if (number >= 0) note_epoch(static_cast<std::uint64_t>(number));
    return nothing();
}

PyObject* note_something(PyObject*, PyObject* positional, PyObject* keywords) {
    const CallArguments given(positional, keywords);
    const std::int64_t kind = given.integer(0, "kind", 0);
    const Characters text(given.at(1, "text"));
    note(static_cast<format::AgentNoteKind>(kind), text.get(), given.integer(2, "a", 0),
         given.integer(3, "b", 0));
    return nothing();
}

PyObject* exception(PyObject*, PyObject* positional, PyObject* keywords) {
    const CallArguments given(positional, keywords);
    const Characters type(given.at(0, "type"));
    const Characters message(given.at(1, "message"));
    const Characters causes(given.at(2, "causes"));
    const Characters thread(given.at(3, "thread"));
    PyObject* is_main = given.at(4, "is_main");
    PyObject* list = given.at(5, "frames");

    constexpr std::uint32_t room = 32;
    ExceptionFrame frames[room];
    Characters files[room];
    Characters functions[room];
    Owned places[room];
    std::uint32_t count = 0;
    const PySize size = list == nullptr ? 0 : py.PyObject_Size(list);
    for (PySize i = 0; i < size && count < room; ++i) {
        *places[count].into() = py.PySequence_GetItem(list, i);
        PyObject* place = places[count].get();
        if (place == nullptr || py.PyTuple_Size(place) != 3) break;
        const CallArguments parts(place, nullptr);
        files[count].read(parts.at(0, ""));
        functions[count].read(parts.at(1, ""));
        const std::int64_t line = parts.integer(2, "", 0);
        frames[count] = {files[count].get(), functions[count].get(),
                         static_cast<std::uint32_t>(line < 0 ? 0 : line)};
        ++count;
    }
    if (py.PyErr_Occurred() != nullptr) py.PyErr_Clear();
    ExceptionText what;
    what.thread = thread.get();
    what.type = type.get();
    what.message = message.get();
    what.causes = causes.get();
    what.in_main_thread = is_main == nullptr || py.PyObject_IsTrue(is_main) == 1;
    what.frames = frames;
    what.frame_count = count;
    note_exception(what);
    return nothing();
}

PyObject* wrapped(WrapKind kind, PyObject* positional, PyObject* keywords) {
    const CallArguments given(positional, keywords);
    PyObject* report = given.at(1, "report");
    if (report == nullptr) return refuse("function and report are needed");
    return wrap(kind, given.at(0, "function"), report);
}

PyObject* watched(PyObject*, PyObject* positional, PyObject* keywords) {
    return wrapped(WrapKind::watched, positional, keywords);
}

PyObject* seen(PyObject*, PyObject* positional, PyObject* keywords) {
    return wrapped(WrapKind::seen, positional, keywords);
}

// Takes the last argument, so that it can replace both sys.exit(status) and
// Quitter.__call__(self, code). Built in, so that the innermost Python frame is the caller's.
PyObject* exit_called(PyObject*, PyObject* positional, PyObject* keywords) {
    const PySize count = py.PyTuple_Size(positional);
    const CallArguments given(positional, keywords);
    PyObject* status = given.at(count - 1, "status");
    const bool has_status = count > 0 && status != nullptr;
    // Elsewhere it ends a thread.
    if (slot() != nullptr && ::syscall(SYS_gettid) == ::getpid())
        note_exit(format::AgentExitKind::sys_exit,
                  has_status ? static_cast<int>(given.integer(count - 1, "status", 1)) : 0);
    return nothing();
}

PyObject* directory(PyObject*, PyObject*, PyObject*) {
    const char* path = run_directory();
    return path == nullptr ? nothing() : py.PyUnicode_FromString(path);
}

PyObject* attempt(PyObject*, PyObject* positional, PyObject*) {
    const PySize count = py.PyTuple_Size(positional);
    if (count < 1) return refuse("a function is needed");
    const Owned rest(py.PyTuple_GetSlice(positional, 1, count));
    if (!rest) return nullptr;
    if (call_own(py.PyTuple_GetItem(positional, 0), rest.get()) == CallOutcome::passed)
        return nullptr;
    return nothing();
}

PyObject* hook(PyObject*, PyObject* positional, PyObject* keywords) {
    const Characters name(CallArguments(positional, keywords).at(0, "name"));
    return load_hook(name.get().data);
}

PyObject* knock(PyObject*, PyObject*, PyObject*) {
    knock_at_import();
    return nothing();
}

PyObject* headroom(PyObject*, PyObject*, PyObject*) {
    const BrinkView view = look_over_brink();
    return view.known ? figures({view.room, view.limit}) : nothing();
}

// How often the guard refused something in this process, and of the last time: the kind, how much
// was requested, how much was left, and the limit.
PyObject* refusal(PyObject*, PyObject*, PyObject*) {
    const format::AgentSlot* own = slot();
    if (own == nullptr) return nothing();
    const format::AgentGuard& guard = own->guard;
    return figures(
        {guard.refused, guard.last.kind, guard.last.asked, guard.last.room, guard.last.limit});
}

PyObject* words_kept(PyObject*, PyObject*, PyObject*) {
    keep_words();
    return nothing();
}

PyObject* crossing(PyObject*, PyObject*, PyObject*) { return number(step_would_cross() ? 1 : 0); }

// Python's handler of the brink's signal. Built in, so that the innermost Python frame is the
// program's.
PyObject* brink_error = nullptr;  // guarded by the GIL

PyObject* brink_called(PyObject*, PyObject*, PyObject*) {
    if (brink_error == nullptr) return nothing();
    const AtBrink what = called_at_brink();
    if (what.raise == Raise::nothing) return nothing();
    for (std::size_t i = 0; i < what.thread_count; ++i)
        py.PyThreadState_SetAsyncExc(what.threads[i], py.memory_error);
    // Another process may have no module of that name, and then could not unpickle the error.
    PyObject* kind = what.raise == Raise::for_others ? py.memory_error : brink_error;
    py.PyErr_SetString(kind,
                       "memory is about to run out, and Holdfast cannot refuse what takes it; "
                       "save, free memory or stop (holdfast run --guard)");
    return nullptr;
}

PyObject* listen(PyObject*, PyObject* positional, PyObject* keywords) {
    PyObject* error = CallArguments(positional, keywords).at(0, "error");
    if (error == nullptr) return refuse("an error is needed");
    if (brink_error == nullptr) {
        py.Py_IncRef(error);
        brink_error = error;
    }
    run_on_alternate_stack(brink_signal());
    listen_for_calls();
    return nothing();
}

PyObject* wait_brink(PyObject*, PyObject* positional, PyObject* keywords) {
    const CallArguments given(positional, keywords);
    const auto seen_count = static_cast<std::uint32_t>(given.integer(0, "seen", 0));
    const std::int64_t milliseconds = given.integer(1, "milliseconds", 1000);
    void* thread = py.PyEval_SaveThread();
    const std::uint32_t count = wait_for_brink(seen_count, milliseconds * 1'000'000);
    py.PyEval_RestoreThread(thread);
    return number(count);
}

// This thread's own CPU time in nanoseconds: waiting for a processor is not its cost.
PyObject* clock(PyObject*, PyObject*, PyObject*) {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return number(static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
                  static_cast<std::uint64_t>(time.tv_nsec));
}

// Where a function's frame keeps its local variables; 0: not known for this version.
PyObject** locals_of(PyObject* frame) {
    const RunningPython version = python_version();
    auto* bytes = reinterpret_cast<char*>(frame);
    if (version.major != 3 || version.free_threaded) return nullptr;
    // PyFrameObject::f_localsplus; from 3.11 on _PyInterpreterFrame::localsplus, behind f_frame.
    if (version.minor == 8 || version.minor == 9) return reinterpret_cast<PyObject**>(bytes + 360);
    if (version.minor == 10) return reinterpret_cast<PyObject**>(bytes + 352);
    if (version.minor != 11 && version.minor != 12) return nullptr;
    char* inner = nullptr;
    std::memcpy(&inner, bytes + 24, sizeof inner);
    return inner == nullptr ? nullptr : reinterpret_cast<PyObject**>(inner + 72);
}

// The values of a running function's local variables, None for an unset one. Reading f_locals
// instead would leave a dictionary behind that keeps them alive.
PyObject* fast_locals(PyObject*, PyObject* positional, PyObject* keywords) {
    const CallArguments given(positional, keywords);
    PyObject* frame = given.at(0, "frame");
    const std::int64_t count = given.integer(1, "count", 0);
    PyObject** values = frame == nullptr ? nullptr : locals_of(frame);
    Owned found(py.PyTuple_New(values == nullptr ? 0 : count));
    if (!found) return nullptr;
    for (std::int64_t i = 0; values != nullptr && i < count; ++i) {
        PyObject* value = values[i] != nullptr ? values[i] : py.none;
        py.Py_IncRef(value);
        if (py.PyTuple_SetItem(found.get(), i, value) != 0) return nullptr;
    }
    return found.release();
}

PyObject* keeper(PyObject*, PyObject* positional, PyObject* keywords) {
    const CallArguments given(positional, keywords);
    const Characters name(given.at(1, "name"));
    const Characters kind(given.at(2, "kind"));
    const Characters file(given.at(7, "file"));
    KeeperText what;
    what.name = name.get();
    what.kind = kind.get();
    what.file = file.get();
    what.items = static_cast<std::uint64_t>(given.integer(3, "items", 0));
    what.bytes = static_cast<std::uint64_t>(given.integer(4, "bytes", 0));
    what.grown = static_cast<std::uint64_t>(given.integer(5, "grown", 0));
    what.graphs = static_cast<std::uint32_t>(given.integer(6, "graphs", 0));
    note_keeper(static_cast<std::uint32_t>(given.integer(0, "place", 0)), what);
    return nothing();
}

// A floating point number of so many bytes, as it lies in memory.
PyObject* number_at(PyObject*, PyObject* positional, PyObject* keywords) {
    const CallArguments given(positional, keywords);
    const auto address = static_cast<std::uintptr_t>(given.integer(0, "address", 0));
    const std::int64_t size = given.integer(1, "size", 0);
    if (address == 0) return nothing();
    const auto* bytes = reinterpret_cast<const void*>(address);
    double value = 0;
    float single = 0;
    if (size == sizeof value) {
        std::memcpy(&value, bytes, sizeof value);
    } else if (size == sizeof single) {
        std::memcpy(&single, bytes, sizeof single);
        value = static_cast<double>(single);
    } else {  // bfloat16: the upper half of one
        std::memcpy(reinterpret_cast<char*>(&single) + 2, bytes, 2);
        value = static_cast<double>(single);
    }
    return py.PyFloat_FromDouble(value);
}

PyObject* launches_watched(PyObject*, PyObject*, PyObject*) {
    watch_launches();
    return nothing();
}

// Built in, so that it can stand before torch's own functions at no cost.
PyObject* backward(PyObject*, PyObject*, PyObject*) {
    note_backward();
    return nothing();
}

PyObject* launches_kept(PyObject*, PyObject* positional, PyObject* keywords) {
    keep_launches(CallArguments(positional, keywords).integer(0, "elsewhere", 0) != 0);
    return nothing();
}

PyObject* over(PyObject*, PyObject*, PyObject*) {
    leave_python();
    return nothing();
}

PyMethodDef methods[] = {
    {"step", &step, method_varargs_keywords, nullptr},
    {"on_worthless_steps", &worthless, method_varargs_keywords, nullptr},
    {"epoch", &epoch, method_varargs_keywords, nullptr},
    {"note", &note_something, method_varargs_keywords, nullptr},
    {"exception", &exception, method_varargs_keywords, nullptr},
    {"watched", &watched, method_varargs_keywords, nullptr},
    {"seen", &seen, method_varargs_keywords, nullptr},
    {"exit_called", &exit_called, method_varargs_keywords, nullptr},
    {"run_directory", &directory, method_varargs_keywords, nullptr},
    {"attempt", &attempt, method_varargs_keywords, nullptr},
    {"hook", &hook, method_varargs_keywords, nullptr},
    {"knock", &knock, method_varargs_keywords, nullptr},
    {"over", &over, method_varargs_keywords, nullptr},
    {"clock", &clock, method_varargs_keywords, nullptr},
    {"fast_locals", &fast_locals, method_varargs_keywords, nullptr},
    {"number_at", &number_at, method_varargs_keywords, nullptr},
    {"keeper", &keeper, method_varargs_keywords, nullptr},
    {"watch_launches", &launches_watched, method_varargs_keywords, nullptr},
    {"backward", &backward, method_varargs_keywords, nullptr},
    {"keep_launches", &launches_kept, method_varargs_keywords, nullptr},
    {"headroom", &headroom, method_varargs_keywords, nullptr},
    {"refusal", &refusal, method_varargs_keywords, nullptr},
    {"keep_words", &words_kept, method_varargs_keywords, nullptr},
    {"crossing", &crossing, method_varargs_keywords, nullptr},
    {"brink_called", &brink_called, method_varargs_keywords, nullptr},
    {"listen", &listen, method_varargs_keywords, nullptr},
    {"wait_brink", &wait_brink, method_varargs_keywords, nullptr},
};

}  // namespace

PyObject* make_agent_module() {
    Owned module(py.PyModule_New("_holdfast_agent"));
    if (!module) return nullptr;
    PyObject* names = py.PyModule_GetDict(module.get());
    for (PyMethodDef& definition : methods) {
        const Owned function(py.PyCFunction_NewEx(&definition, nullptr, nullptr));
        if (!function || py.PyDict_SetItemString(names, definition.name, function.get()) != 0)
            return nullptr;
    }
    return module.release();
}

}  // namespace holdfast::agent
