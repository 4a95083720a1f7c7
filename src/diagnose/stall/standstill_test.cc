// Which stall explains an end, and who is to blame for it.
#include "diagnose/stall/standstill.h"

#include <gtest/gtest.h>

#include <csignal>

#include "diagnose/evidence_builder.h"

namespace holdfast {
namespace {

using testing::main_pid;
using testing::Story;
using namespace std::chrono_literals;

const Frame step_line{"train.py", 42, "step"};
const Frame work_line{"data.py", 7, "load"};
const Frame process_run{"/usr/lib/python3.11/multiprocessing/process.py", 108, "run"};
const Frame fetches{"/v/lib/python3.11/site-packages/torch/utils/data/dataloader.py", 1290,
                    "_try_get_data"};

WaitingThread waits(int tid, WaitKind wait, std::vector<Frame> frames) {
    WaitingThread thread;
    thread.tid = tid;
    thread.wait = wait;
    thread.frames = std::move(frames);
    thread.own_lock = thread.inside = wait == WaitKind::lock;
    return thread;
}

// Still from the tenth second on, until somebody asked it to stop in the fortieth.
class Still {
public:
    explicit Still(std::vector<StalledProcess> processes, bool inside_only = true) {
        story_.dies_by(SIGTERM).signal_seen(SIGTERM, 40s);
        Evidence& e = story_.evidence();
        e.end_time = e.processes[0].ended = 40s;
        StallEvidence& stall = e.stalls.emplace_back();
        stall.since = 10s;
        stall.seen = 39s;
        stall.inside_only = inside_only;
        stall.processes = std::move(processes);
    }
    Story& story() { return story_; }
    StallEvidence& stall() { return story_.evidence().stalls.back(); }
    std::optional<Standstill> seen() { return standstill_of(deciding_death(story_.evidence())); }

private:
    Story story_;
};

Still crossed_locks() {
    return Still({{main_pid,
                   false,
                   {waits(main_pid, WaitKind::lock, {step_line}),
                    waits(101, WaitKind::lock, {work_line})}}});
}

TEST(Standstill, LastsUntilTheProgramWasAskedToStop) {
    Still still = crossed_locks();
    const auto stand = still.seen();
    ASSERT_TRUE(stand);
    EXPECT_EQ(stand->kind, StandstillKind::lock_deadlock);
    EXPECT_EQ(stand->lasted, 30s);
    EXPECT_FALSE(stand->live);
    EXPECT_EQ(stand->culprit->pid, main_pid);
    EXPECT_EQ(place_of(*stand)->line, 42);
}

TEST(Standstill, OneThatEndedByItselfOrWasOomKilledWasNotStoppedByAnybody) {
    Still still = crossed_locks();
    still.story().evidence().signals.clear();
    still.story().exits(1);
    EXPECT_FALSE(still.seen());
    Still killed = crossed_locks();
    killed.story().evidence().signals.clear();
    killed.story().dies_by(SIGKILL);
    EXPECT_TRUE(killed.seen());
    killed.story().logged_oom(main_pid, "CONSTRAINT_MEMCG", 40s);
    EXPECT_FALSE(killed.seen());
}

TEST(Standstill, AProvenOneCountsSoonerThanALikelyOne) {
    Still proven = crossed_locks();
    proven.stall().since = 34s;
    EXPECT_TRUE(proven.seen());
    proven.stall().since = 36s;
    EXPECT_FALSE(proven.seen());
    Still likely = crossed_locks();
    likely.stall().inside_only = false;
    likely.stall().since = 34s;
    EXPECT_FALSE(likely.seen());
    likely.stall().since = 29s;
    EXPECT_TRUE(likely.seen());
}

TEST(Standstill, WhatMovedAgainOrWasSeenLongAgoIsOver) {
    Still moved = crossed_locks();
    moved.stall().moved = 30s;
    EXPECT_FALSE(moved.seen());
    moved.stall().moved = 39s;  // as it was asked to stop
    moved.story().evidence().end_time = moved.story().at(main_pid).ended = 41s;
    EXPECT_TRUE(moved.seen());
    Still old = crossed_locks();
    old.stall().seen = 29s;
    EXPECT_FALSE(old.seen());
}

TEST(Standstill, WhileTheProgramLivesItMustHaveBeenTold) {
    Still still = crossed_locks();
    Evidence& e = still.story().evidence();
    e.ended = false;
    e.end_time.reset();
    e.exit = {};
    const Death lives{.all = e,
                      .process = e.main(),
                      .pid = main_pid,
                      .exit = {},
                      .told = Death::Told::nobody,
                      .time = {},
                      .lives = true};
    EXPECT_FALSE(standstill_of(lives));
    still.stall().told = 30s;
    ASSERT_TRUE(standstill_of(lives));
    EXPECT_TRUE(standstill_of(lives)->live);
    EXPECT_EQ(standstill_of(lives)->lasted, 29s);
}

// A loop that waits for its loader, which has two workers.
Still waits_for_loader(WaitingThread first, WaitingThread second) {
    WaitingThread main = waits(main_pid, WaitKind::poll, {step_line, fetches});
    main.timed = true;
    Still still({{main_pid, false, {main}}, {200, false, {first}}, {201, false, {second}}}, false);
    still.story().child(200).child(201);
    return still;
}

TEST(Standstill, OfALoadersWorkersTheOneInALockIsToBlame) {
    Still still = waits_for_loader(waits(200, WaitKind::sleep, {step_line, process_run, work_line}),
                                   waits(201, WaitKind::lock, {step_line, process_run, work_line}));
    const auto stand = still.seen();
    ASSERT_TRUE(stand);
    EXPECT_EQ(stand->kind, StandstillKind::loader_stall);
    EXPECT_EQ(stand->culprit->pid, 201);
    EXPECT_EQ(stand->waiting->pid, main_pid);
}

TEST(Standstill, AWorkerAtWorkIsToBlameWhereNoneIsStuck) {
    Still still =
        waits_for_loader(waits(200, WaitKind::read, {step_line, process_run}),
                         waits(201, WaitKind::sleep, {step_line, process_run, work_line}));
    const auto stand = still.seen();
    ASSERT_TRUE(stand);
    EXPECT_EQ(stand->culprit->pid, 201);
}

TEST(Standstill, AThreadThatTheKernelHoldsIsToBlameFirst) {
    WaitingThread disk = waits(main_pid, WaitKind::disk, {step_line});
    disk.state = 'D';
    disk.call = "read";
    disk.wait_channel = "folio_wait_bit_common";
    Still still({{main_pid, false, {disk}}}, false);
    ASSERT_TRUE(still.seen());
    EXPECT_EQ(still.seen()->kind, StandstillKind::io_stall);
}

TEST(Standstill, AProgramThatItsUserStoppedRests) {
    Still still({{main_pid, false, {waits(main_pid, WaitKind::stopped, {step_line})}}});
    EXPECT_FALSE(still.seen());
}

}  // namespace
}  // namespace holdfast
