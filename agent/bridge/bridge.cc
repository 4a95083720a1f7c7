#include "agent/bridge/bridge.h"

#include <cerrno>

#include <algorithm>
#include <atomic>
#include <ctime>

#include "agent/base/clock.h"
#include "agent/base/private_memory.h"
#include "agent/box/events.h"
#include "agent/bridge/api.h"
#include "agent/bridge/call.h"
#include "agent/bridge/hooks.h"
#include "agent/bridge/module.h"
#include "agent/guard/brink_call.h"
#include "agent/heap/heap.h"
#include "agent/launch/launches.h"
#include "agent/python/stack.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::agent {
namespace {

// Short, because a program may import and use a framework within a moment. A visit costs next to
// nothing if no module has come.
constexpr std::int64_t between_visits = 20'000'000;
constexpr std::int64_t between_heap_ticks = 250'000'000;
// A request may get lost: one made for a subinterpreter that ends, for instance.
constexpr std::int64_t given_up = 10'000'000'000;

// A child of fork starts with a request of its own.
struct Turn {
    std::atomic<std::int64_t> asked;  // when; 0: not
    std::atomic<std::int64_t> answered;
};

std::atomic<bool> python_left{false};

Turn* turn() {
    static std::atomic<Turn*> known{nullptr};
    Turn* own = known.load(std::memory_order_acquire);
    if (own != nullptr) return own;
    auto* fresh = static_cast<Turn*>(wiped_on_fork(4096));
    if (fresh == nullptr) return nullptr;
    return known.compare_exchange_strong(own, fresh) ? fresh : own;
}

// While 3.8 shuts down, it answers a request with an error on stderr, or crashes if the thread has
// no state. This reads _PyRuntime.ceval.pending.finishing, which lies at the same place on every
// 64-bit Linux. Only the main thread may trust it, because that thread sets it.
bool unwelcome_in_3_8() {
    if (::syscall(SYS_gettid) != ::getpid()) return true;
    constexpr std::size_t finishing = 600;
    static const char* runtime = static_cast<const char*>(python_symbol("_PyRuntime"));
    return runtime == nullptr || *reinterpret_cast<const int*>(runtime + finishing) != 0;
}

struct Visit {
    PyObject* tick = nullptr;  // of hooks.main
    PySize modules = -1;       // in sys.modules, when it was last called
    bool again = false;        // it asked to be called again in any case
    bool hopeless = false;
    std::int64_t heap_told = 0;
};
Visit visit;  // guarded by the GIL

// While memory grows, looks for what keeps it, for at most a five-hundredth of the time.
struct Keepers {
    PyObject* look = nullptr;  // of hooks.keepers
    std::int64_t next = 0;
    std::uint64_t live = 0;  // at the last look
    std::uint64_t most = 0;  // at any look
    int looks = 0;
    bool hopeless = false;
};
Keepers keepers;  // guarded by the GIL

constexpr std::uint64_t worth_a_look = 16U << 20U;

// Stores the module where the `holdfast` package looks for it.
bool publish(PyObject* module) {
    PyObject* place = py.PyDict_GetItemString(py.PyImport_GetModuleDict(), "_imp");
    return place != nullptr && py.PyObject_SetAttrString(place, "_holdfast_agent", module) == 0;
}

bool settle() {
    const Untraced quiet;
    const Owned module(make_agent_module());
    if (!module || !prepare_hooks(module.get())) return false;
    const Owned main(load_hook("hooks.main"));
    if (!main) return false;
    visit.tick = py.PyObject_GetAttrString(main.get(), "tick");
    return visit.tick != nullptr && publish(module.get());
}

// 0, or -1 with an exception that a signal handler of the program raised meanwhile.
int call_tick() {
    const PySize modules = py.PyDict_Size(py.PyImport_GetModuleDict());
    if (modules == visit.modules && !visit.again) return 0;
    visit.modules = modules;
    Owned result;
    const Owned none(py.PyTuple_New(0));
    const CallOutcome outcome =
        none ? call_own(visit.tick, none.get(), result.into()) : CallOutcome::failed;
    visit.again = result && py.PyObject_IsTrue(result.get()) == 1;
    if (outcome == CallOutcome::passed) return -1;
    if (py.PyErr_Occurred() != nullptr) py.PyErr_Clear();
    return 0;
}

// CPU time of this thread, so that waiting for a processor does not count as its cost.
std::int64_t own_time() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

bool find_keepers() {
    const Untraced quiet;
    const Owned hook(load_hook("hooks.keepers"));
    // Compiled now, because compiling takes memory, and there may be none when it is needed.
    const Owned exceptions(load_hook("hooks.exceptions"));
    if (!hook || !exceptions) return false;
    keepers.look = py.PyObject_GetAttrString(hook.get(), "look");
    return keepers.look != nullptr;
}

// A limit that is filled within a second or two must be looked at meanwhile: so also look whenever
// memory has grown by a quarter over its highest value, which cannot happen often.
bool grew_by_much(std::uint64_t live) {
    return live >= keepers.most + std::max(2 * worth_a_look, keepers.most / 4);
}

// 0, or -1 with an exception that a signal handler of the program raised meanwhile.
int look_for_keepers(std::int64_t time) {
    const std::uint64_t live = live_memory();
    keepers.live = std::min(keepers.live, live);
    if (keepers.hopeless || (time < keepers.next && !grew_by_much(live)) ||
        live < keepers.live + std::max(worth_a_look, keepers.live / 16))
        return 0;
    keepers.live = live;
    keepers.most = std::max(keepers.most, live);
    if (keepers.look == nullptr && !find_keepers()) {
        keepers.hopeless = true;
        return sort_error() == CallOutcome::passed ? -1 : 0;
    }
    const std::int64_t began = own_time();
    const Owned none(py.PyTuple_New(0));
    Owned found;
    const CallOutcome outcome =
        none ? call_own(keepers.look, none.get(), found.into()) : CallOutcome::failed;
    if (outcome == CallOutcome::passed) return -1;
    if (py.PyErr_Occurred() != nullptr) py.PyErr_Clear();
    // An import of a framework makes much grow, and none of it is worth a look.
    const bool seen = found && py.PyObject_IsTrue(found.get()) == 1;
    // A program that fills its limit within seconds is looked at a few times all the same.
    constexpr std::int64_t soon = 300'000'000;
    constexpr int first_looks = 6;
    const std::int64_t pause = std::max<std::int64_t>(1'000'000'000, 500 * (own_time() - began));
    keepers.next = now() + ((seen ? ++keepers.looks : keepers.looks) <= first_looks ? soon : pause);
    return 0;
}

// In every process: a child of fork inherits the handler, but the supervisor does not know the
// child.
CallOutcome be_ready_for_calls() {
    if (!should_listen()) return CallOutcome::done;
    const Owned brink(load_hook("hooks.brink"));
    const Owned arm(brink ? py.PyObject_GetAttrString(brink.get(), "arm") : nullptr);
    const Owned none(py.PyTuple_New(0));
    if (!arm || !none) return sort_error();
    const CallOutcome outcome = call_own(arm.get(), none.get());
    if (should_listen()) stop_listening();  // the signal is the program's, or unavailable
    return outcome;
}

int come_in() {
    if (find_python_api() == nullptr || py.interpreter() != py.PyInterpreterState_Main()) return 0;
    if (visit.hopeless || python_left.load(std::memory_order_relaxed)) return 0;
    if (!has_recursion_room()) return 0;
    const KeptError before;
    if (visit.tick == nullptr && !settle()) {
        visit.hopeless = true;
        return sort_error() == CallOutcome::passed ? -1 : 0;
    }
    const int answer = call_tick();
    if (answer == 0 && be_ready_for_calls() == CallOutcome::passed) return -1;
    if (const std::int64_t time = now(); time - visit.heap_told >= between_heap_ticks ||
                                         (!keepers.hopeless && grew_by_much(live_memory()))) {
        visit.heap_told = time;
        python_tick();
        if (answer == 0) return look_for_keepers(time);
    }
    return answer;
}

int answer_python(void*) {
    const int error = errno;
    const int answer = come_in();
    note_visit_asked(0);
    if (Turn* own = turn()) {
        own->answered.store(now(), std::memory_order_relaxed);
        own->asked.store(0, std::memory_order_release);
    }
    errno = error;
    return answer;
}

void knock(std::int64_t pause) {
    if (python_left.load(std::memory_order_relaxed) || !python_running()) return;
    Turn* own = turn();
    if (own == nullptr) return;
    const std::int64_t time = now();
    std::int64_t asked = own->asked.load(std::memory_order_acquire);
    if (asked != 0 && time - asked < given_up) return;
    const std::int64_t answered = own->answered.load(std::memory_order_relaxed);
    if (answered != 0 && time - answered < pause) return;
    AddPendingCall ask = add_pending_call();
    if (ask == nullptr || !own->asked.compare_exchange_strong(asked, time)) return;
    const RunningPython version = python_version();
    note_visit_asked(time);  // before the request, because the visit may come at once
    if (version.major != 3 || version.minor < 8 || (version.minor == 8 && unwelcome_in_3_8()) ||
        ask(&answer_python, nullptr) != 0) {
        note_visit_asked(0);
        own->asked.store(0, std::memory_order_release);
    }
}

}  // namespace

void knock_on_python() { knock(between_visits); }

void knock_at_import() {
    // Without a GIL, Python takes all objects from its own allocator, which we do not see, so
    // hardly anything else brings us here.
    knock(python_version().free_threaded ? 0 : between_visits);
}

void leave_python() {
    python_left.store(true, std::memory_order_relaxed);
    leave_launches();
}

}  // namespace holdfast::agent
