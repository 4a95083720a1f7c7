// The run's guard.box as this process sees it: whether there is a guard at all, and which place of
// it is ours.
#pragma once

#include <atomic>
#include <cstdint>

#include "record/guard_format.h"

namespace holdfast::agent {

// This process's own state, in memory that fork wipes: a child may be in another cgroup.
struct GuardState {
    std::atomic<std::uint32_t> stage;  // 0 untouched (or wiped), 1 being made, 2 ready, 3 no guard
    std::atomic<std::int64_t> next_try;  // when to look for our place again
    std::atomic<std::uint32_t> place;    // its number plus one; 0: not found
    std::atomic<bool> warned;
    std::atomic<std::int64_t> read_at;     // when the kernel was last asked
    std::atomic<std::int64_t> trimmed_at;  // when glibc last gave back what it held
    // Calloc'd blocks handed out: see foresight.h.
    static constexpr std::uint32_t kept = 16;
    std::atomic<std::uint64_t> zeroed[kept], zeroed_size[kept];
    std::atomic<std::uint32_t> next_zeroed;
    // Blocks that this process was promised, by the promise's number: see promises.h.
    std::atomic<std::uint64_t> granted[format::guard_promises];
    std::atomic<std::uint64_t> granted_size[format::guard_promises];
    std::atomic<std::uint64_t> granted_header[format::guard_promises];  // glibc's, before the block
    // Room at the last step, and what the last ones took: see brink.h.
    std::atomic<std::uint64_t> step_room, step_growth[3];
    std::atomic<std::uint32_t> next_step;
    // Since when too little room was left for code, and how often code had been read again by then.
    std::atomic<std::int64_t> scarce_since;
    std::atomic<std::uint64_t> scarce_refaults;
    std::atomic<std::uint64_t> copies;  // see copies.h
    std::atomic<std::int64_t> copies_until;
    std::atomic<std::int64_t> stranger_until;  // how long the answer below holds: see victim.h
    std::atomic<bool> stranger_dies;
    // Calls at the brink: see brink_call.h.
    std::atomic<std::uint32_t> listener;  // its number in the page plus one; 0: cannot be called
    std::atomic<std::int64_t> called_at;  // when we last called the main thread ourselves
    std::atomic<std::int64_t> looked_at;  // when the main thread last looked
    std::atomic<bool> looks_again;        // the handler has arranged the next call itself
    std::atomic<std::uint64_t> lowest;    // the least room in this row of looks
    std::atomic<std::int64_t> fell_at;    // when that last fell
    std::atomic<std::int32_t> timer;      // for the next call: its number plus one; 0: none
    std::atomic<std::uint64_t> asked;     // bytes asked of the gate by all who can be refused
    std::atomic<std::uint64_t> zone;      // if less is left, the caller of each request is judged
    // See verdicts.h.
    static constexpr std::uint32_t verdicts = 16;
    std::atomic<std::uintptr_t> judged[verdicts];
    std::atomic<std::int64_t> judged_at[verdicts], last_judged;
    std::atomic<bool> survives[verdicts];
    // See unseen_growth.h.
    std::atomic<std::uint64_t> look_room, look_asked, look_untouched, unseen[4];
    std::atomic<std::int64_t> unseen_since;
    std::atomic<std::uint64_t> words;  // see telling_room.h
    std::atomic<bool> owed;  // a thread's error reaches nobody, so the main thread owes one
    std::atomic<std::int64_t> raised_at;   // when the main thread last got a BrinkError
    std::atomic<std::int64_t> refused_at;  // when the main thread was last refused memory
    // How fast room has fallen lately, by the readings of all threads.
    std::atomic<std::int64_t> pace_time;
    std::atomic<std::uint64_t> pace_room, pace;  // pace: bytes in a millisecond
    std::atomic<std::uint64_t> raised_room;
};

// Null: there is no guard, it is switched off, or its page is invalid. Costs a load and a test once
// the answer is known.
GuardState* guard_state();
format::GuardPage* guard_page();

// The settings, checked: false if they are damaged or the supervisor has not written for long.
bool guard_settings(format::GuardSettings& settings, std::int64_t now);

// The place of this process, and a checked copy of it in `copy`; null while it is not known.
// `anew`: asks the kernel again, because a process can be moved.
format::GuardPlace* own_place(GuardState& state, std::int64_t now, bool anew,
                              format::GuardPlace& copy);

}  // namespace holdfast::agent
