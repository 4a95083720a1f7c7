#include "agent/guard/brink_call.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/base/clock.h"
#include "agent/base/raw_calls.h"
#include "agent/base/self_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/guard/growing_threads.h"
#include "agent/guard/guard_page.h"
#include "agent/guard/raise_place.h"
#include "agent/guard/refusal.h"
#include "agent/guard/situation.h"
#include "agent/guard/telling_room.h"
#include "agent/process/own_process.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

using format::GuardAnswer;
using format::GuardListener;
using format::GuardMode;

constexpr std::int64_t between_calls = 1'000'000;
constexpr std::int64_t between_readings = 100'000;
// A row of looks ends when nothing was taken for this long.
constexpr std::int64_t row_lasts = 100'000'000;
constexpr std::int64_t soonest = 300'000;
constexpr std::int64_t latest = 10'000'000;
// An error counts as being handled for this long, unless half of what was left is gone.
constexpr std::int64_t to_deal_with_it = 1'000'000'000;

constexpr std::size_t deepest_call = 128;

GuardListener* own_listener(const GuardState& state) {
    const std::uint32_t number = state.listener.load(std::memory_order_relaxed);
    if (number == 0 || number > format::guard_listeners) return nullptr;
    return &guard_page()->listeners[number - 1];
}

void answer(const GuardState& state, GuardAnswer what) {
    if (GuardListener* own = own_listener(state))
        std::atomic_ref(own->answer).store(static_cast<std::uint32_t>(what));
}

bool is_recent(const std::atomic<std::int64_t>& when, std::int64_t time) {
    const std::int64_t at = when.load(std::memory_order_relaxed);
    return at != 0 && time - at < to_deal_with_it;
}

// True: the program is still handling the main thread's last error.
bool dealing_with_it(const GuardState& state, std::uint64_t left, std::int64_t time) {
    return (is_recent(state.raised_at, time) || is_recent(state.refused_at, time)) &&
           left >= state.raised_room.load(std::memory_order_relaxed) / 2;
}

void signal_main_thread() { ::syscall(SYS_tgkill, ::getpid(), ::getpid(), brink_signal()); }

// False: the kernel gives us no timer.
bool signal_main_thread_in(GuardState& state, std::int64_t nanoseconds) {
    if (state.timer.load(std::memory_order_relaxed) == 0) {
        sigevent how{};
        how.sigev_notify = SIGEV_THREAD_ID;
        how.sigev_signo = brink_signal();
        how._sigev_un._tid = ::getpid();
        int number = 0;
        if (::syscall(SYS_timer_create, CLOCK_MONOTONIC, &how, &number) != 0) return false;
        state.timer.store(number + 1, std::memory_order_relaxed);
    }
    itimerspec when{};
    when.it_value.tv_nsec = nanoseconds;
    const int number = state.timer.load(std::memory_order_relaxed) - 1;
    return ::syscall(SYS_timer_settime, number, 0, &when, nullptr) == 0;
}

// Arranges to be called again while memory falls: at a gigabyte a second another call from outside
// would come too late, above all on a busy machine. By a timer if there is time, because a look at
// every line slows the program down.
void look_again(GuardState& state, const Situation& situation, std::int64_t time) {
    const std::uint64_t left = situation.headroom().most;
    if (left < state.lowest.load(std::memory_order_relaxed)) {
        state.lowest.store(left, std::memory_order_relaxed);
        state.fell_at.store(time, std::memory_order_relaxed);
    }
    if (time - state.fell_at.load(std::memory_order_relaxed) > row_lasts) return;
    state.looks_again.store(true, std::memory_order_relaxed);
    const std::int64_t wait = situation.time_to_brink() / 4;
    if (wait < soonest || !signal_main_thread_in(state, wait < latest ? wait : latest))
        signal_main_thread();
}

}  // namespace

static_assert(format::brink_signal == SIGURG);

int brink_signal() { return format::brink_signal; }

bool should_listen() {
    GuardState* state = guard_state();
    // If the stack cannot be read, nobody knows what an error would break.
    return state != nullptr && state->listener.load(std::memory_order_relaxed) == 0 &&
           guard_page()->settings.mode == GuardMode::on && python_version().lines;
}

void listen_for_calls() {
    GuardState* state = guard_state();
    if (state == nullptr) return;
    const std::int32_t own = ::getpid();
    for (std::uint32_t i = 0; i < format::guard_listeners; ++i) {
        GuardListener& one = guard_page()->listeners[i];
        std::int32_t nobody = 0;
        // A slot that already has our pid is left from an earlier process with that pid.
        if (!std::atomic_ref(one.pid).compare_exchange_strong(nobody, own) && nobody != own)
            continue;
        std::atomic_ref(one.answer).store(0);
        state->listener.store(i + 1);
        return;
    }
    state->listener.store(format::guard_listeners + 1);  // no room: do not try again
}

void stop_listening() {
    GuardState* state = guard_state();
    if (state == nullptr) return;
    if (GuardListener* own = own_listener(*state)) std::atomic_ref(own->pid).store(0);
    state->listener.store(format::guard_listeners + 1);  // for good
}

void call_main_thread() {
    GuardState* state = guard_state();
    if (state == nullptr || own_listener(*state) == nullptr) return;
    const std::int64_t time = now();
    std::int64_t last = state->called_at.load(std::memory_order_relaxed);
    if (time - last < between_calls || !state->called_at.compare_exchange_strong(last, time))
        return;
    const KeepErrno keep;
    signal_main_thread();
}

bool main_thread_can_be_told() {
    GuardState* state = guard_state();
    if (state == nullptr || own_listener(*state) == nullptr) return false;
    CalledFunction stack[deepest_call];
    std::size_t count = own_stack(stack, deepest_call);
    if (count == 0 || !is_thread_of_program(stack, count)) return false;
    count = main_stack(stack, deepest_call);
    if (count != 0 && may_raise_in(stack, count) != Here::never) return true;
    // The main thread has had its error and now waits for its threads to end.
    return state->raised_at.load(std::memory_order_relaxed) != 0;
}

void tell_main_thread() {
    GuardState* state = guard_state();
    if (state == nullptr || own_thread_id() == ::getpid() || own_error_is_received()) return;
    // One error is enough for all threads that fail now.
    if (is_recent(state->raised_at, now())) return;
    state->owed.store(true);
    signal_main_thread();
}

AtBrink called_at_brink() {
    GuardState* state = guard_state();
    if (busy || state == nullptr) return {};
    const KeepErrno keep;
    const std::int64_t time = now();
    const bool owed = state->owed.load(std::memory_order_relaxed);
    if (!state->looks_again.exchange(false, std::memory_order_relaxed) || owed) {
        state->lowest.store(no_figure, std::memory_order_relaxed);
        state->fell_at.store(time, std::memory_order_relaxed);
    }
    if (time - state->looked_at.load(std::memory_order_relaxed) < between_readings) {
        state->looks_again.store(true, std::memory_order_relaxed);
        signal_main_thread();
        return {};
    }
    state->looked_at.store(time, std::memory_order_relaxed);
    const Busy inside;
    Situation situation(*state);
    if (!situation.read() || situation.settings().mode != GuardMode::on) return {};
    const std::uint64_t left = situation.headroom().most;
    situation.keep_pace();
    note_look(*state, left, time);
    if (dealing_with_it(*state, left, time)) {
        // The program may still be saving; the error owed for a thread comes afterwards.
        if (owed) signal_main_thread_in(*state, latest);
        return {};
    }
    if (!owed && left >= situation.brink_of_waiting()) {
        if (left < situation.headroom().limit / 8) look_again(*state, situation, time);
        return {};
    }
    CalledFunction stack[deepest_call];
    const std::size_t depth = own_stack(stack, deepest_call);
    const Here here = may_raise_in(stack, depth);
    if (here == Here::never) {
        answer(*state, GuardAnswer::nobody_hears);
        state->owed.store(false);
        return {};
    }
    const bool low = here == Here::waits || owed || left < situation.brink_of_running();
    if (here == Here::not_now || !low) {
        look_again(*state, situation, time);
        return {};
    }
    if (!owed && situation.is_anothers_fault(0)) return {};
    state->owed.store(false);
    state->raised_at.store(time, std::memory_order_relaxed);
    state->raised_room.store(left, std::memory_order_relaxed);
    note_refusal({format::GuardEventKind::brink, true, 0, left, situation.headroom().limit});
    give_words(*state);
    AtBrink what;
    what.raise = error_is_sent_on(stack, depth) ? Raise::for_others : Raise::here;
    if (here == Here::waits)
        what.thread_count = growing_threads(what.threads, AtBrink::most_threads);
    return what;
}

}  // namespace holdfast::agent
