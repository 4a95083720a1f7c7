#include "agent/guard/raise_place.h"

#include <initializer_list>

#include "agent/guard/refusal.h"
#include "agent/python/own_path.h"

namespace holdfast::agent {
namespace {

// Libraries whose code takes locks line by line.
constexpr Text lock_takers[] = {"/threading.py",     "/queue.py",
                                "/multiprocessing/", "/concurrent/futures/",
                                "/logging/",         "/selectors.py",
                                "/asyncio/",         "/weakref.py",
                                "/contextlib.py",    "/joblib/externals/loky/",
                                "/subprocess.py",    "/socket.py"};
// The functions in which they only wait: an interrupt may come there at any time.
constexpr Text waits[] = {
    "wait",      "_wait_for_tstate_lock",       "join", "_wait", "poll", "_poll",
    "_try_wait", "wait_result_broken_or_wakeup"};

bool ends_in(Text text, Text tail) {
    return text.size >= tail.size && Text(text.data + text.size - tail.size, tail.size) == tail;
}

bool named(Text function, Text name) {
    if (!ends_in(function, name)) return false;
    return function.size == name.size || function.data[function.size - name.size - 1] == '.';
}

bool takes_locks(Text file) {
    for (const Text part : lock_takers)
        if (file.contains(part)) return true;
    return false;
}

bool is_wait(Text function) {
    for (const Text name : waits)
        if (named(function, name)) return true;
    return false;
}

// Functions of those libraries that run a task: below them, none of their locks is held.
bool runs_tasks(Text function) {
    for (const Text name : {Text("run"), Text("worker"), Text("mapstar"), Text("starmapstar"),
                            Text("_process_worker"), Text("_process_chunk"), Text("_worker_loop")})
        if (named(function, name)) return true;
    return false;
}

}  // namespace

Here may_raise_in(const CalledFunction* stack, std::size_t count) {
    if (count == 0) return Here::not_now;
    for (std::size_t i = 0; i < count; ++i) {
        if (stack[i].file.contains("importlib._bootstrap") || named(stack[i].function, "__del__"))
            return Here::not_now;
    }
    if (!error_is_received(stack, count)) return Here::never;
    if (takes_locks(stack[0].file) && is_wait(stack[0].function)) return Here::waits;
    // Code of these libraries may call other libraries with a lock held.
    for (std::size_t i = 0; i < count && !is_own_path(stack[i].file); ++i) {
        if (runs_tasks(stack[i].function)) break;
        if (takes_locks(stack[i].file)) return Here::not_now;
    }
    return Here::yes;
}

}  // namespace holdfast::agent
