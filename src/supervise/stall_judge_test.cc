// What is a stall and what is only a rest, decided on pictures of both.
#include "supervise/stall_judge.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

using namespace std::chrono_literals;

constexpr Nanos patience = 20s;

StallThread thread(int tid, std::string wait, std::vector<StallFrame> frames) {
    StallThread made;
    made.tid = tid;
    made.wait = std::move(wait);
    made.frames = std::move(frames);
    made.inside = made.own_lock = made.wait == "lock";
    return made;
}

const StallFrame own{"train.py", "step", 42};
const StallFrame event{"/usr/lib/python3.11/threading.py", "wait", 629};
const StallFrame loader{"/x/torch/utils/data/dataloader.py", "_try_get_data", 1290};
const StallFrame tick{"/x/tqdm/_monitor.py", "run", 66};

PicturedProcess process(pid_t pid, std::vector<StallThread> threads) {
    PicturedProcess made;
    made.pid = pid;
    made.role = format::ProcessRole::main;
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

StallThread timed(StallThread thread) {
    thread.timed = true;
    thread.inside = false;
    return thread;
}

StallFacts quiet_for(Nanos quiet) { return {1h, quiet, std::nullopt}; }

StallFacts steps(Nanos since, Nanos quiet, Nanos usual = 100ms, Nanos longest = 1s) {
    StepsSeen seen;
    seen.pid = 1;
    seen.count = seen.in_all = 1000;
    seen.last = 1h - since;
    seen.first = seen.last - 2min;
    seen.usual = usual;
    seen.longest = longest;
    return {1h, quiet, seen};
}

const auto deadlock = picture({process(1, {thread(1, "lock", {own}), thread(2, "lock", {own})})});

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
    ticking.processes[0].threads.push_back(timed(thread(3, "lock", {tick})));
    EXPECT_FALSE(is_stuck(ticking, quiet_for(30s), patience));
    EXPECT_TRUE(is_stuck(ticking, quiet_for(60s), patience));
}

TEST(StallJudge, a_service_may_wait_for_ever) {
    EXPECT_FALSE(is_stuck(picture({process(1, {thread(1, "lock", {event, own})})}), quiet_for(24h),
                          patience));
    StallThread polling = thread(1, "poll", {own});
    EXPECT_FALSE(is_stuck(picture({process(1, {polling})}), quiet_for(24h), patience));
    EXPECT_FALSE(is_stuck(picture({process(1, {timed(thread(1, "sleep", {own}))})}), quiet_for(24h),
                          patience));
}

TEST(StallJudge, a_program_without_python_is_left_alone) {
    EXPECT_FALSE(is_stuck(picture({process(1, {thread(1, "lock", {}), thread(2, "lock", {})})}),
                          quiet_for(24h), patience));
}

TEST(StallJudge, a_debugger_is_no_stall) {
    StallPicture traced = deadlock;
    traced.processes[0].traced = true;
    EXPECT_FALSE(is_stuck(traced, quiet_for(24h), patience));
    StallPicture pdb = deadlock;
    pdb.processes[0].threads[0].frames = {{"/usr/lib/python3.11/pdb.py", "interaction", 1}};
    EXPECT_FALSE(is_stuck(pdb, quiet_for(24h), patience));
}

TEST(StallJudge, one_stopped_by_its_user_is_no_stall) {
    EXPECT_FALSE(
        is_stuck(picture({process(1, {thread(1, "stopped", {own})})}), quiet_for(24h), patience));
}

TEST(StallJudge, a_loop_that_waits_for_data_is_measured_by_its_steps) {
    const auto waits = picture({process(1, {timed(thread(1, "poll", {loader, own}))})});
    EXPECT_FALSE(is_stuck(waits, quiet_for(10min), patience));
    EXPECT_FALSE(is_stuck(waits, steps(50s, 50s), patience));
    EXPECT_TRUE(is_stuck(waits, steps(70s, 70s), patience));
    EXPECT_FALSE(is_stuck(waits, steps(70s, 70s, 10s), patience));
    EXPECT_FALSE(is_stuck(waits, steps(70s, 70s, 1s, 60s), patience));
}

TEST(StallJudge, busy_without_a_step_needs_longer_than_all_the_training_before) {
    const auto busy = picture({process(1, {thread(1, "running", {own})})});
    EXPECT_FALSE(is_stuck(busy, steps(4min, 0s), patience));
    EXPECT_TRUE(is_stuck(busy, steps(6min, 0s), patience));
    const auto validates =
        picture({process(1, {thread(1, "running", {{"train.py", "validate", 3}})})});
    EXPECT_FALSE(is_stuck(validates, steps(1h - 3min, 0s), patience));
    const auto compiles = picture(
        {process(1, {thread(1, "running", {{"/x/torch/_inductor/compile_fx.py", "f", 3}, own})})});
    EXPECT_FALSE(is_stuck(compiles, steps(1h - 3min, 0s), patience));
}

TEST(StallJudge, a_loader_is_stuck_when_its_worker_is_stopped) {
    PicturedProcess worker = process(2, {thread(2, "stopped", {own})});
    worker.parent = 1;
    worker.role = format::ProcessRole::worker;
    const auto waits = picture({process(1, {timed(thread(1, "poll", {loader, own}))}), worker});
    EXPECT_TRUE(is_stuck(waits, quiet_for(60s), patience));
}

}  // namespace
}  // namespace holdfast
