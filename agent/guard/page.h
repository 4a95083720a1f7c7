// The run's guard.box as this process sees it: whether there is a guard at all, and which place of
// it is ours.
#pragma once

#include <atomic>
#include <cstdint>

#include "record/guard_format.h"

namespace holdfast::agent {

// Of this process, in memory that fork wipes: a child starts from nothing and may be elsewhere.
struct GuardState {
    std::atomic<std::uint32_t> stage;  // 0 untouched (or wiped), 1 being made, 2 ready, 3 no guard
    std::atomic<std::int64_t> next_try;  // to find the own place
    std::atomic<std::uint32_t> place;    // its number plus one; 0: not found
    std::atomic<bool> warned;
    std::atomic<std::int64_t> read_at;     // when the kernel was last asked
    std::atomic<std::int64_t> trimmed_at;  // when glibc last gave back what it held
    // Calloc'd blocks handed out: see foresight.h.
    static constexpr std::uint32_t kept = 16;
    std::atomic<std::uint64_t> zeroed[kept], zeroed_size[kept];
    std::atomic<std::uint32_t> next_zeroed;
    // Where the blocks lie that this process was promised, by the promise's number: see promises.h.
    std::atomic<std::uint64_t> granted[format::guard_promises];
    std::atomic<std::uint64_t> granted_size[format::guard_promises];
    std::atomic<std::uint64_t> granted_header[format::guard_promises];  // glibc's, before the block
    // Room at the last step, and what the last ones took: see brink.h.
    std::atomic<std::uint64_t> step_room, step_growth[3];
    std::atomic<std::uint32_t> next_step;
    // Since when there has been no more room than code needs, and how often it had been read again.
    std::atomic<std::int64_t> scarce_since;
    std::atomic<std::uint64_t> scarce_refaults;
    std::atomic<std::uint64_t> copies;  // see copies.h
    std::atomic<std::int64_t> copies_until;
    std::atomic<std::int64_t> stranger_until;  // so long the answer below is taken: see victim.h
    std::atomic<bool> stranger_dies;
    // Calls at the brink: see brink_call.h.
    std::atomic<std::uint32_t> listener;  // its number in the page plus one; 0: cannot be called
    std::atomic<std::int64_t> called_at;  // by ourselves
    std::atomic<std::int64_t> looked_at;  // by the main thread, when called
    std::atomic<bool> looks_again;        // it has itself called
    std::atomic<std::uint64_t> lowest;    // room, in this row of looks
    std::atomic<std::int64_t> fell_at;    // when it was last lowered
    std::atomic<std::int32_t> timer;      // that calls it: its number plus one; 0: none
    std::atomic<std::uint64_t> asked;     // of the gate, by all who can be refused
    std::atomic<std::uint64_t> zone;      // where less is left, who asks is judged
    // See verdicts.h.
    static constexpr std::uint32_t verdicts = 16;
    std::atomic<std::uintptr_t> judged[verdicts];
    std::atomic<std::int64_t> judged_at[verdicts], last_judged;
    std::atomic<bool> survives[verdicts];
    // See unseen_growth.h.
    std::atomic<std::uint64_t> look_room, look_asked, look_untouched, unseen[4];
    std::atomic<std::int64_t> unseen_since;
    std::atomic<std::uint64_t> words;  // see telling_room.h
    std::atomic<bool> owed;  // a thread was refused memory, and only the main thread can tell
    std::atomic<std::int64_t> raised_at;   // in the main thread, by a call
    std::atomic<std::int64_t> refused_at;  // the main thread's own request
    // How fast room was lost lately, by the readings of all threads.
    std::atomic<std::int64_t> pace_time;
    std::atomic<std::uint64_t> pace_room, pace;  // pace: bytes in a millisecond
    std::atomic<std::uint64_t> raised_room;
};

// Null: there is no guard, it is switched off, or its page is invalid. A load and a test if the
// answer is known.
GuardState* guard_state();
format::GuardPage* guard_page();

// The settings, checked: false when they are damaged or the supervisor has not written for long.
bool guard_settings(format::GuardSettings& settings, std::int64_t now);

// The place of this process; null while it is not known. `anew` asks the kernel again: a process
// can be moved. A copy goes to `copy`, which has been checked.
format::GuardPlace* own_place(GuardState& state, std::int64_t now, bool anew,
                              format::GuardPlace& copy);

}  // namespace holdfast::agent
