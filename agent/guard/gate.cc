#include "agent/guard/gate.h"

#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

#include "agent/base/clock.h"
#include "agent/base/raw_calls.h"
#include "agent/base/self_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/box/slot.h"
#include "agent/guard/brink_call.h"
#include "agent/guard/foresight.h"
#include "agent/guard/guard_page.h"
#include "agent/guard/headroom.h"
#include "agent/guard/lazy_line.h"
#include "agent/guard/promises.h"
#include "agent/guard/refusal.h"
#include "agent/guard/situation.h"
#include "agent/guard/survivors.h"
#include "agent/guard/telling_room.h"
#include "agent/guard/unseen_growth.h"
#include "agent/guard/verdicts.h"
#include "agent/heap/next.h"
#include "agent/heap/sampling.h"
#include "agent/process/own_process.h"

namespace holdfast::agent {
namespace {

using format::GuardEventKind;
using format::GuardMode;

constexpr std::uint64_t mib = 1U << 20U;
constexpr std::uint64_t tight = 16 * mib;  // if less is left, visits come more often
constexpr std::uint64_t least_grant = 16U << 10U;
constexpr std::int64_t reading_lasts = 5'000'000;
constexpr std::int64_t reading_lasts_in_thread =
    1'000'000;  // shorter, because calling the main thread from a thread takes long
// If nothing was touched for this long, the thread that should touch its block may be waiting for
// the interpreter's lock, which the asker holds.
constexpr std::int64_t standstill = 200'000'000;
constexpr std::int64_t longest_wait = 10'000'000'000;
constexpr std::uint64_t worth_a_promise = 64;  // blocks of at least this part of the room

// An arena was refused: Python asks malloc next, for the object itself, and must be refused there.
constinit thread_local bool refuse_next __attribute__((tls_model("initial-exec"))) = false;
// While at least this much is left, this thread is handling a refusal.
constexpr std::uint64_t no_grace = no_figure;
constinit thread_local std::uint64_t grace_until __attribute__((tls_model("initial-exec"))) =
    no_grace;
constinit thread_local std::uint64_t refusals_known __attribute__((tls_model("initial-exec"))) = 0;

void refuse_next_block() {
    refuse_next = true;
    thread_budget.granted -= thread_budget.left;
    thread_budget.left = 0;
}

std::uint64_t all_refusals() {
    return std::atomic_ref(guard_page()->refused).load(std::memory_order_relaxed);
}

void pause_for(std::int64_t nanoseconds) {
    timespec time{0, static_cast<long>(nanoseconds)};
    raw_sleep(time);
}

// Near the limit a thread must not take half a megabyte without a visit.
void visit_sooner(const Situation& situation) {
    const std::uint64_t room = situation.room();
    if (room >= tight) return;
    const std::uint64_t most = room / 16 > least_grant ? room / 16 : least_grant;
    ThreadBudget& mine = thread_budget;
    if (mine.left <= most) return;
    mine.granted -= mine.left - most;
    mine.left = most;
}

// Asked before any wait: a request that must not be refused must not be delayed, either.
bool may_be_refused(GuardState& state, const Situation& situation, const Ask& ask) {
    if (situation.settings().mode != GuardMode::on ||
        survives_refusal(ask.caller, ask.want == Want::zeroed))
        return true;
    // It is let through, so the main thread gets the error at its next line if memory runs out.
    note_let_through(state, ask.size, now());
    if (own_thread_id() == ::getpid()) call_main_thread();
    return false;
}

// True: refuse. If the guard only warns, it has done so now.
bool cross(GuardState& state, const Situation& situation, GuardEventKind kind, const Ask& ask) {
    if (situation.is_anothers_fault(ask.size)) return false;
    const bool on = situation.settings().mode == GuardMode::on;
    // Address space is not memory: xz asks for more than the whole limit and touches a tenth of it.
    if (!on && ask.size > situation.headroom().smallest) return false;
    if (!on && state.warned.exchange(true)) return false;
    note_refusal({kind, on, ask.whole != 0 ? ask.whole : ask.size, situation.headroom().most,
                  situation.headroom().limit});
    if (on) {
        // While the main thread deals with this error, it must not get another from the brink.
        if (own_thread_id() == ::getpid()) {
            state.refused_at.store(now(), std::memory_order_relaxed);
            state.raised_room.store(situation.headroom().most, std::memory_order_relaxed);
        }
        give_words(state);
        tell_main_thread();
    }
    return on;
}

// Freed memory that glibc still holds, above all in the heaps of many threads, goes back to the
// system before a refusal. Not before a warning. No lock of malloc is held here.
void give_back_freed(GuardState& state, const Situation& situation) {
    constexpr std::int64_t pause = 1'000'000'000;
    if (situation.settings().mode != GuardMode::on) return;
    const std::int64_t time = now();
    std::int64_t last = state.trimmed_at.load(std::memory_order_relaxed);
    if (next.code_begin != 0 || (last != 0 && time - last < pause)) return;
    if (state.trimmed_at.compare_exchange_strong(last, time)) ::malloc_trim(0);
}

// Memory that is being freed right now may not count as free yet. Waits only before a refusal, not
// before a warning.
bool still_too_much(GuardState& state, Situation& situation, std::uint64_t bytes) {
    for (const std::int64_t pause : {0, 3'000'000, 20'000'000}) {
        if (pause != 0 && situation.settings().mode != GuardMode::on) return true;
        if (pause != 0) pause_for(pause);
        bring_slot_back();
        if (!situation.read(true) || situation.fits(bytes)) return false;
        give_back_freed(state, situation);
    }
    return true;
}

// Waits for memory that was promised to others earlier; after that only the kernel's figures count.
// True: the request does not fit.
bool crowded_out(GuardState& state, Situation& situation, const Ask& ask) {
    const std::uint64_t bytes = ask.size;
    format::GuardPage& page = *guard_page();
    const std::int64_t began = now();
    const Promise own = make_promise(state, page, bytes, began);
    std::uint64_t claimed = 0;  // by threads that cannot go on while this one waits
    std::uint64_t least_here = no_figure;
    std::int64_t moved = began;
    bool begun_counts = true;
    for (std::int64_t time = began; time - moved <= longest_promise && time - began <= longest_wait;
         time = now()) {
        const Promised others = promised_before(state, page, own, time);
        // Read after the promises: memory touched in between then counts twice, not never.
        if (!situation.read()) return false;
        const std::uint64_t begun = begun_counts ? others.begun : 0;
        if (situation.fits(bytes + others.all + begun)) return false;
        if (time == began && !may_be_refused(state, situation, ask)) return false;
        if (!situation.fits(bytes) || situation.settings().mode != GuardMode::on) break;
        if (others.here + begun < least_here) {
            least_here = others.here + begun;
            moved = time;
        } else if (time - moved > standstill && begun > 0) {
            begun_counts = false;
        } else if (time - moved > standstill && others.here > 0) {
            claimed = others.here;
            break;
        }
        pause_for(2'000'000);
    }
    if (!still_too_much(state, situation, bytes + claimed)) return false;
    take_back(page, own);
    return true;
}

// A quarter of what is left may be used to handle an error. A thread that swallows its errors and
// goes on gets less each time, so it never uses up all of it.
std::uint64_t next_grace(const Situation& situation) {
    const std::uint64_t left = situation.headroom().most;
    return left - left / 4;
}

// If something in the run was refused, another thread or process may have to handle the error: the
// one that waits for its workers. So each gets the same room once.
void share_grace(const Situation& situation) {
    const std::uint64_t refusals = all_refusals();
    if (refusals == refusals_known) return;
    refusals_known = refusals;
    if (grace_until == no_grace) grace_until = next_grace(situation);
}

// Threads fail together, and each prints its error while the others still take memory.
std::uint64_t for_threads(const Situation& situation) {
    constexpr std::uint64_t least = 2 * mib;
    if (own_thread_id() == ::getpid()) return 0;
    const std::uint64_t share = situation.headroom().limit / 128;
    return share > least ? share : least;
}

// Growth by small blocks is refused when only the reserve is left. After that this thread's
// requests pass until they have used a quarter of what is left, so that it can handle the error.
Gate small(GuardState& state, Situation& situation, const Ask& ask) {
    const std::uint64_t left = situation.headroom().most;
    const std::uint64_t reserve = situation.reserve_from_small() + for_threads(situation);
    if (left >= 2 * reserve) grace_until = no_grace;
    // Python fills a whole arena before it asks again.
    const std::uint64_t filled = ask.want == Want::arena ? ask.size / 4 * 3 : 0;
    if (left >= reserve + filled) return Gate::open;
    share_grace(situation);
    if (grace_until != no_grace && left >= grace_until)
        // A whole arena is too much; Python then asks malloc for the one object.
        return ask.want == Want::arena ? Gate::shut : Gate::open;
    if (!may_be_refused(state, situation, ask)) return Gate::open;
    give_back_freed(state, situation);
    bring_slot_back();
    if (!situation.read(true) || situation.headroom().most >= reserve + filled ||
        !cross(state, situation, GuardEventKind::nothing_left, ask))
        return Gate::open;
    grace_until = next_grace(situation);
    refusals_known = all_refusals();
    if (ask.want == Want::arena) refuse_next_block();
    return Gate::shut;
}

// Close to the limit, requests of callers that cannot be refused are not counted as seen growth.
void note_asked(GuardState& state, const Ask& ask, std::uint64_t bytes, std::uint64_t left) {
    if (left < state.zone.load(std::memory_order_relaxed)) {
        const KeepErrno keep;
        const Busy inside;
        if (!probably_survives(state, ask.caller, ask.want == Want::zeroed)) return;
    }
    state.asked.fetch_add(bytes, std::memory_order_relaxed);
}

bool reading_is_fresh(const GuardState& state) {
    const std::int64_t lasts =
        own_thread_id() == ::getpid() ? reading_lasts : reading_lasts_in_thread;
    return now() - state.read_at.load(std::memory_order_relaxed) < lasts;
}

// Only for a block with its own mapping is it certain that growing adds new pages. glibc notes that
// in the block's header.
bool is_mapped_by_glibc(const void* block) {
    const bool glibc = next.code_begin == 0;
    return glibc && (static_cast<const std::size_t*>(block)[-1] & 2U) != 0;
}

Gate large(GuardState& state, Situation& situation, const Ask& ask) {
    if (!situation.fits(ask.size)) return Gate::look;
    if (ask.want == Want::used && ask.size > situation.room() / worth_a_promise &&
        crowded_out(state, situation, ask))
        return cross(state, situation, GuardEventKind::refused, ask) ? Gate::shut : Gate::open;
    return Gate::open;
}

}  // namespace

Gate gate_before(const Ask& ask, std::uint64_t since) {
    if (busy || in_own_python) return Gate::open;
    GuardState* state = guard_state();
    if (state == nullptr) return Gate::open;
    if (refuse_next) {
        refuse_next = false;
        return Gate::shut;
    }
    const bool is_large = ask.size >= large_block && ask.want != Want::arena;
    const std::uint64_t taken = ask.size + since;
    if (const std::uint32_t known = state->place.load(std::memory_order_relaxed)) {
        format::GuardPlace& place = guard_page()->places[known - 1];
        const std::uint64_t spent =
            std::atomic_ref(place.spent).fetch_add(taken, std::memory_order_relaxed) + taken;
        const std::uint64_t kept = std::atomic_ref(place.reserve).load(std::memory_order_relaxed);
        const std::uint64_t room = std::atomic_ref(place.room).load(std::memory_order_relaxed);
        const std::uint64_t left = at_least_nothing(at_least_nothing(room, spent), kept);
        note_asked(*state, ask, taken, left);
        // Others take memory in ways we do not see, so close to the end a reading does not last.
        const bool close = left < 16 * kept;
        if (ask.size < left / 4 && (!close || reading_is_fresh(*state))) {
            // Whoever asks the kernel next must know that this is granted and not yet touched.
            if (is_large && ask.want == Want::used && ask.size > left / worth_a_promise) {
                const KeepErrno keep;
                make_promise(*state, *guard_page(), ask.size, now());
            }
            return Gate::open;
        }
    }
    const KeepErrno keep;
    const Busy inside;
    if (state->warned.load(std::memory_order_relaxed)) return Gate::open;
    Situation situation(*state);
    if (!situation.read()) return Gate::open;
    situation.publish(taken);
    state->read_at.store(now(), std::memory_order_relaxed);
    visit_sooner(situation);
    situation.keep_pace();
    if (situation.settings().mode == GuardMode::on && own_thread_id() != ::getpid() &&
        situation.headroom().most < situation.brink_of_waiting())
        call_main_thread();
    return is_large ? large(*state, situation, ask) : small(*state, situation, ask);
}

bool gate_after(const Ask& ask, const void* block) {
    if (busy || in_own_python || block == nullptr) return false;
    GuardState* state = guard_state();
    if (state == nullptr) return false;
    const KeepErrno keep;
    const Busy inside;
    Situation situation(*state);
    if (!situation.read()) return false;
    // Counts up to the limit, not only up to what is left now: freed memory may come back while we
    // wait, and then a count that had stopped early would seem to fit.
    const std::uint64_t added = absent_bytes(block, ask.size, situation.headroom().limit);
    if (situation.fits(added)) return false;
    const bool lazy = ask.want == Want::zeroed || asked_for_empty();
    if (lazy && !zeroed_are_used(*state, ask.size)) {
        remember_zeroed(*state, block, ask.size);
        return false;
    }
    if (!may_be_refused(*state, situation, ask) || !still_too_much(*state, situation, added))
        return false;
    return cross(*state, situation, GuardEventKind::refused, ask);
}

bool gate_growth(const Ask& ask, const void* block) {
    if (busy || in_own_python || block == nullptr || !is_mapped_by_glibc(block)) return false;
    GuardState* state = guard_state();
    if (state == nullptr) return false;
    const KeepErrno keep;
    const Busy inside;
    Situation situation(*state);
    return situation.read() && !situation.fits(ask.size) &&
           may_be_refused(*state, situation, ask) && still_too_much(*state, situation, ask.size) &&
           cross(*state, situation, GuardEventKind::refused, ask);
}

void handed_out(const Ask& ask, const void* block) {
    if (ask.size < large_block) return;
    GuardState* state = guard_state();
    if (state == nullptr) return;
    if (ask.want == Want::zeroed) remember_zeroed(*state, block, ask.size);
    if (ask.want != Want::used || !awaits_block()) return;
    const KeepErrno keep;
    const Busy inside;
    promise_is_about(*state, asked_for_empty() ? nullptr : block, ask.size);
}

}  // namespace holdfast::agent
