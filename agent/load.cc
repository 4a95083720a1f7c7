// The agent's start in a process: what it does at once, and what it does only once Python is there.
#include <unistd.h>

#include <atomic>

#include "agent/box/events.h"
#include "agent/box/slot.h"
#include "agent/bridge/bridge.h"
#include "agent/crash/crash.h"
#include "agent/heap/heap.h"
#include "agent/process/own_variables.h"
#include "agent/process/quiet.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

std::atomic<bool> python_met{false};

// Called again in a child of fork, whose slot is another one.
void tell_version() {
    format::AgentSlot* own = slot();
    const RunningPython version = python_version();
    if (own == nullptr || version.major == 0 || own->python_major != 0) return;
    own->python_minor = version.minor;
    own->python_micro = version.micro;
    own->python_flags = (version.free_threaded ? 1U : 0U) | (version.lines ? 2U : 0U);
    std::atomic_ref(own->python_major).store(version.major, std::memory_order_release);
}

// Only a Python process takes a slot of the black box from the start. Others (shells, launchers,
// `nvidia-smi`) are many and short, and have no lines to tell.
void meet_python() {
    if (python_met.exchange(true)) return;
    if (take_slot() == nullptr) return;
    tell_version();
    watch_senders();
    start_counting();
}

// At a sampling point, four times a second at most.
void look_around() {
    if (python_met.load(std::memory_order_relaxed)) {
        tell_version();
        knock_on_python();
    } else if (python_here(true)) {  // libpython may have come by dlopen
        meet_python();
    }
}

__attribute__((constructor)) void arrive() {
    hide_from_environment();
    if (supervised_run().empty() || begins_quiet()) return;
    watch_crashes();
    on_sample = &look_around;
    if (python_here()) meet_python();
}

__attribute__((destructor)) void leave() {
    format::AgentSlot* own = slot();
    if (own != nullptr && own->pid == ::getpid()) give_slot_back();
}

}  // namespace
}  // namespace holdfast::agent
