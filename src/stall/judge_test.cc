// Tells stalls from rests, on pictures of both.
#include "stall/judge.h"

#include <gtest/gtest.h>

#include "stall/thresholds.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

constexpr Nanos patience = 20s;

// `frames` outermost first.
WaitingThread thread(int tid, WaitKind wait, std::vector<Frame> frames) {
    WaitingThread made;
    made.tid = tid;
    made.wait = wait;
    made.frames = std::move(frames);
    made.inside = made.own_lock = wait == WaitKind::lock;
    return made;
}

const Frame own{"train.py", 42, "step"};
const Frame event{"/usr/lib/python3.11/threading.py", 629, "wait"};
const Frame loader{"/x/torch/utils/data/dataloader.py", 1290, "_try_get_data"};
const Frame tick{"/x/tqdm/_monitor.py", 66, "run"};

PicturedProcess process(int pid, std::vector<WaitingThread> threads) {
    PicturedProcess made;
    made.pid = pid;
    made.complete = true;
    made.threads = std::move(threads);
    return made;
}

StallPicture picture(std::vector<PicturedProcess> processes) {
    StallPicture made;
    made.processes = std::move(processes);
    made.complete = true;
    return made;
}

WaitingThread timed(WaitingThread thread) {
    thread.timed = true;
    thread.inside = false;
    return thread;
}

StallFacts quiet_for(Nanos quiet) { return {1h, quiet, std::nullopt}; }

StallFacts steps(Nanos since, Nanos quiet, Nanos usual = 100ms, Nanos longest = 1s) {
    StepsCounted seen;
    seen.pid = 1;
    seen.count = 1000;
    seen.last = 1h - since;
    seen.first = seen.last - 2min;
    seen.usual = usual;
    seen.longest = longest;
    return {1h, quiet, seen};
}

const auto deadlock =
    picture({process(1, {thread(1, WaitKind::lock, {own}), thread(2, WaitKind::lock, {own})})});

TEST(StallJudge, a_proven_deadlock_is_told_after_the_patience) {
    EXPECT_FALSE(is_stuck(deadlock, quiet_for(19s), patience));
    EXPECT_TRUE(is_stuck(deadlock, quiet_for(20s), patience));
}

TEST(StallJudge, one_that_cannot_be_seen_whole_proves_nothing_for_a_while) {
    StallPicture half = deadlock;
    half.complete = false;
    half.processes[0].threads.pop_back();
    EXPECT_FALSE(is_stuck(half, quiet_for(10min), patience));
}

TEST(StallJudge, a_progress_bar_that_ticks_on_does_not_hide_a_deadlock) {
    StallPicture ticking = deadlock;
    ticking.processes[0].threads.push_back(timed(thread(3, WaitKind::lock, {tick})));
    EXPECT_FALSE(is_stuck(ticking, quiet_for(30s), patience));
    EXPECT_TRUE(is_stuck(ticking, quiet_for(60s), patience));
}

TEST(StallJudge, a_service_may_wait_for_ever) {
    EXPECT_FALSE(is_stuck(picture({process(1, {thread(1, WaitKind::lock, {own, event})})}),
                          quiet_for(24h), patience));
    WaitingThread polling = thread(1, WaitKind::poll, {own});
    EXPECT_FALSE(is_stuck(picture({process(1, {polling})}), quiet_for(24h), patience));
    EXPECT_FALSE(is_stuck(picture({process(1, {timed(thread(1, WaitKind::sleep, {own}))})}),
                          quiet_for(24h), patience));
}

TEST(StallJudge, a_program_without_python_is_left_alone) {
    EXPECT_FALSE(is_stuck(
        picture({process(1, {thread(1, WaitKind::lock, {}), thread(2, WaitKind::lock, {})})}),
        quiet_for(24h), patience));
}

TEST(StallJudge, a_debugger_is_no_stall) {
    StallPicture traced = deadlock;
    traced.processes[0].traced = true;
    EXPECT_FALSE(is_stuck(traced, quiet_for(24h), patience));
    StallPicture pdb = deadlock;
    pdb.processes[0].threads[0].frames = {{"/usr/lib/python3.11/pdb.py", 1, "interaction"}};
    EXPECT_FALSE(is_stuck(pdb, quiet_for(24h), patience));
}

TEST(StallJudge, one_stopped_by_its_user_is_no_stall) {
    EXPECT_FALSE(is_stuck(picture({process(1, {thread(1, WaitKind::stopped, {own})})}),
                          quiet_for(24h), patience));
}

TEST(StallJudge, a_loop_that_waits_for_data_is_measured_by_its_steps) {
    const auto waits = picture({process(1, {timed(thread(1, WaitKind::poll, {own, loader}))})});
    EXPECT_FALSE(is_stuck(waits, quiet_for(10min), patience));
    EXPECT_FALSE(is_stuck(waits, steps(50s, 50s), patience));
    EXPECT_TRUE(is_stuck(waits, steps(70s, 70s), patience));
    EXPECT_FALSE(is_stuck(waits, steps(70s, 70s, 10s), patience));
    EXPECT_FALSE(is_stuck(waits, steps(70s, 70s, 1s, 60s), patience));
}

TEST(StallJudge, busy_without_a_step_needs_longer_than_all_the_training_before) {
    const auto busy = picture({process(1, {thread(1, WaitKind::running, {own})})});
    EXPECT_FALSE(is_stuck(busy, steps(4min, 0s), patience));
    EXPECT_TRUE(is_stuck(busy, steps(6min, 0s), patience));
    const auto validates =
        picture({process(1, {thread(1, WaitKind::running, {{"train.py", 3, "validate"}})})});
    EXPECT_FALSE(is_stuck(validates, steps(1h - 3min, 0s), patience));
    const auto compiles = picture({process(
        1, {thread(1, WaitKind::running, {own, {"/x/torch/_inductor/compile_fx.py", 3, "f"}})})});
    EXPECT_FALSE(is_stuck(compiles, steps(1h - 3min, 0s), patience));
}

TEST(StallJudge, a_loader_is_stuck_when_its_worker_is_stopped) {
    PicturedProcess worker = process(2, {thread(2, WaitKind::stopped, {own})});
    worker.parent = 1;
    worker.worker = true;
    const auto waits =
        picture({process(1, {timed(thread(1, WaitKind::poll, {own, loader}))}), worker});
    EXPECT_TRUE(is_stuck(waits, quiet_for(60s), patience));
}

TEST(StallJudge, figures_of_a_damaged_record_are_no_stall_and_no_overflow) {
    const auto busy = picture({process(1, {thread(1, WaitKind::running, {own})})});
    StallFacts facts = steps(6min, 0s, Nanos::max(), Nanos::max());
    EXPECT_FALSE(is_stuck(busy, facts, patience));
    facts.steps->first = Nanos::min();
    facts.steps->last = Nanos::min() + 1ns;
    facts.steps->usual = facts.steps->longest = Nanos{};
    EXPECT_TRUE(is_stuck(busy, facts, patience));
    facts.steps->last = Nanos::max();
    EXPECT_FALSE(is_stuck(busy, facts, patience));
}

TEST(StallJudge, a_run_without_steps_is_not_worth_a_look) {
    EXPECT_FALSE(is_worth_a_look(quiet_for(1h)));
    StallFacts first = steps(1h, 0s);
    first.steps->count = stall_thresholds::enough_steps - 1;
    EXPECT_FALSE(is_worth_a_look(first));
    EXPECT_TRUE(is_worth_a_look(steps(5s, 0s)));
    EXPECT_FALSE(is_worth_a_look(steps(4s, 0s)));
    EXPECT_FALSE(is_worth_a_look(steps(9s, 0s, 1s)));
}

// ---- afterwards ----

StallEvidence ended(std::optional<Nanos> without_step = {}, Nanos usual = 100ms) {
    StallEvidence stall;
    stall.seen = 1h;
    if (without_step) {
        stall.steps = 100;
        stall.last_step = 1h - *without_step;
        stall.usual = usual;
    }
    return stall;
}

TEST(StallJudge, what_nobody_could_end_counts_sooner_than_what_somebody_might_have_ended) {
    EXPECT_FALSE(lasted_long_enough(ended(), StallSign::proven, 4s));
    EXPECT_TRUE(lasted_long_enough(ended(), StallSign::proven, 5s));
    EXPECT_FALSE(lasted_long_enough(ended(), StallSign::kernel, 9s));
    EXPECT_TRUE(lasted_long_enough(ended(), StallSign::kernel, 10s));
    EXPECT_FALSE(lasted_long_enough(ended(), StallSign::waiting, 9s));
    EXPECT_TRUE(lasted_long_enough(ended(), StallSign::waiting, 10s));
}

TEST(StallJudge, at_the_end_too_a_wait_is_measured_by_the_usual_step) {
    EXPECT_TRUE(lasted_long_enough(ended(15s), StallSign::waiting, 15s));
    EXPECT_FALSE(lasted_long_enough(ended(15s, 1s), StallSign::waiting, 15s));
    EXPECT_TRUE(lasted_long_enough(ended(20s, 1s), StallSign::waiting, 20s));
    EXPECT_FALSE(lasted_long_enough(ended(), StallSign::busy, 1h));
    EXPECT_TRUE(lasted_long_enough(ended(20s, 1s), StallSign::busy, 20s));
}

// Whoever ends a program has seen that it hangs, so weaker signs must be enough then.
TEST(StallJudge, what_is_told_while_it_lives_would_explain_its_end) {
    using namespace stall_thresholds;
    EXPECT_LE(proven_at_the_end, usual_patience);
    EXPECT_LE(likely_at_the_end, times(usual_patience, for_weak_signs));
    EXPECT_LE(enough_steps_at_the_end, enough_steps);
    for (const StepLimit& live :
         {waiting_without_a_step(usual_patience), busy_without_a_step(usual_patience)}) {
        EXPECT_LE(without_a_step_at_the_end.at_least, live.at_least);
        EXPECT_LE(without_a_step_at_the_end.times_usual, live.times_usual);
        EXPECT_LE(without_a_step_at_the_end.times_longest, live.times_longest);
    }
}

}  // namespace
}  // namespace holdfast
