// Programs that stand still, for the tests of several rules.
#pragma once

#include <utility>
#include <vector>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {

inline WaitingThread thread(int tid, WaitKind wait, std::vector<Frame> frames) {
    WaitingThread made;
    made.tid = tid;
    made.name = tid == main_pid ? "MainThread" : "Thread-1";
    made.state = 'S';
    made.wait = wait;
    made.frames = std::move(frames);
    made.own_lock = made.inside = wait == WaitKind::lock;
    made.call = wait == WaitKind::lock ? "futex" : "";
    return made;
}

inline const Frame own{"train.py", 42, "step"};
inline const Frame other_own{"train.py", 77, "save"};

// Stalled for half a minute when the story ends.
inline Evidence stalled(Story story, std::vector<StalledProcess> processes, bool inside_only) {
    Evidence e = story.evidence();
    e.end_time = 40s;
    for (ProcessEvidence& process : e.processes)
        if (process.ended && process.pid == main_pid) process.ended = 40s;
    StallEvidence stall;
    stall.since = 10s;
    stall.seen = 39s;
    stall.inside_only = inside_only;
    stall.processes = std::move(processes);
    e.stalls = {stall};
    return e;
}

// Two threads, each in the lock that the other holds.
inline Evidence crosswise() {
    return stalled(
        Story().dies_by(SIGTERM).signal_seen(SIGTERM, 40s),
        {{main_pid,
          false,
          {thread(main_pid, WaitKind::lock, {own}), thread(101, WaitKind::lock, {other_own})}}},
        true);
}

}  // namespace holdfast::testing
