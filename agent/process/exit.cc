// Who asked the program to end: wraps exit and _exit. A return from main and an end by a signal do
// not pass here.
#include <stdlib.h>
#include <unistd.h>

#include "agent/base/export.h"
#include "agent/base/real.h"
#include "agent/box/events.h"
#include "agent/box/slot.h"

namespace holdfast::agent {
namespace {

using Exit = void (*)(int);
constinit Real<Exit> real_exit{"exit"};
constinit Real<Exit> real_immediate{"_exit"};
constinit Real<Exit> real_quick{"quick_exit"};

// In the child of a vfork whose exec failed, the slot belongs to its parent.
bool has_own_slot() {
    const format::AgentSlot* own = slot();
    return own != nullptr && own->pid == ::getpid();
}

void note_call(int status) {
    if (has_own_slot()) note_exit(format::AgentExitKind::c_exit, status);
}

[[noreturn]] void end_now(int status) {
    if (has_own_slot()) {
        note_exit(format::AgentExitKind::os_exit, status);
        give_slot_back();
    }
    real_immediate()(status);
    __builtin_unreachable();
}

}  // namespace
}  // namespace holdfast::agent

using namespace holdfast::agent;

HOLDFAST_EXPORT __attribute__((noreturn)) void exit(int status) {
    note_call(status);
    real_exit()(status);
    __builtin_unreachable();
}

HOLDFAST_EXPORT __attribute__((noreturn)) void _exit(int status) { end_now(status); }

HOLDFAST_EXPORT __attribute__((noreturn)) void _Exit(int status) { end_now(status); }

HOLDFAST_EXPORT __attribute__((noreturn)) void quick_exit(int status) {
    note_call(status);
    real_quick()(status);
    __builtin_unreachable();
}
