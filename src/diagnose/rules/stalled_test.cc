// HF702, HF703 and HF705: runs that did not move when they were stopped, and runs that only worked.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/stall_story.h"

namespace holdfast::testing {
namespace {

const Frame loader{"/v/lib/python3.11/site-packages/torch/utils/data/dataloader.py", 1290,
                   "_try_get_data"};

TEST(LoaderStall, IsCertainByTheLoadersOwnTimeLimit) {
    Story story;
    story.exits(1).raises("RuntimeError", "DataLoader timed out after 4 seconds");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "loader-stall");
    EXPECT_EQ(v.root.confidence, Confidence::certain);
    EXPECT_NE(v.root.summary.find("4 s"), std::string::npos);
}

Evidence in_loader() {
    Story story;
    story.dies_by(SIGKILL).child(200);
    WaitingThread main = thread(main_pid, WaitKind::poll, {own, loader});
    main.timed = true;
    WaitingThread worker =
        thread(200, WaitKind::sleep,
               {own, {"/usr/lib/python3.11/multiprocessing/process.py", 108, "run"}, other_own});
    worker.timed = true;
    Evidence e = stalled(story, {{main_pid, false, {main}}, {200, false, {worker}}}, false);
    e.stalls[0].steps = 120;
    e.stalls[0].last_step = 10s;
    e.stalls[0].usual = 100ms;
    e.stalls[0].longest = 900ms;
    return e;
}

TEST(StallRules, a_loop_that_waits_for_its_loader_names_the_worker) {
    const Verdict verdict = diagnose(in_loader());
    EXPECT_EQ(verdict.root.cause, "loader-stall"_cause);
    EXPECT_EQ(verdict.root.where->line, 77);
    EXPECT_EQ(verdict.process.pid, 200);
}

TEST(StallRules, a_slow_loader_that_was_always_slow_is_no_stall) {
    Evidence e = in_loader();
    e.stalls[0].usual = 20s;
    EXPECT_EQ(diagnose(e).outcome, Outcome::died);
}

Evidence busy() {
    Evidence e = stalled(Story().dies_by(SIGTERM).signal_seen(SIGTERM, 40s),
                         {{main_pid, false, {thread(main_pid, WaitKind::running, {own})}}}, false);
    e.stalls[0].busy = true;
    e.stalls[0].steps = 200;
    e.stalls[0].last_step = 10s;
    e.stalls[0].usual = 50ms;
    e.stalls[0].longest = 100ms;
    return e;
}

TEST(StallRules, busy_without_a_step_is_no_progress_but_not_certain) {
    const Verdict verdict = diagnose(busy());
    EXPECT_EQ(verdict.root.cause, "no-progress"_cause);
    EXPECT_EQ(verdict.root.confidence, Confidence::likely);
}

TEST(StallRules, a_validation_is_not_called_no_progress) {
    Evidence e = busy();
    e.stalls[0].processes[0].threads[0].frames = {{"train.py", 9, "validate"}};
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
    // The program is busy all the time, so a look may never catch it in one of these functions.
    e.stalls[0].processes[0].threads[0].frames.clear();
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
}

// No steps are counted; the supervisor saw that the main thread does not leave a loop.
Evidence in_a_loop() {
    Evidence e = busy();
    StallEvidence& stall = e.stalls[0];
    stall.in_loop = 1;
    stall.steps = 0;
    stall.usual = 500ms;
    stall.longest = 2s;
    stall.processes[0].threads[0].frames = {
        {"train.py", 33, "<module>"}, {"train.py", 25, "draw"}, {"train.py", 8, "sample"}};
    return e;
}

TEST(StallRules, a_loop_that_never_ends_is_no_progress_at_the_line_of_the_loop) {
    const Verdict verdict = diagnose(in_a_loop());
    EXPECT_EQ(verdict.end.cause, "killed"_cause);
    EXPECT_EQ(verdict.root.cause, "no-progress"_cause);
    EXPECT_EQ(verdict.root.confidence, Confidence::likely);
    EXPECT_EQ(verdict.outcome, Outcome::stuck);
    ASSERT_TRUE(verdict.root.where);
    EXPECT_EQ(verdict.root.where->line, 25);
}

TEST(StallRules, what_looks_like_an_endless_loop_is_not_called_one) {
    Evidence e = in_a_loop();
    e.stalls[0].longest = 20s;  // it wrote no more often before
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
    e = in_a_loop();
    e.stalls[0].moved = 35s;
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
    e = in_a_loop();
    e.stalls[0].processes[0].threads[0].frames[1].function = "evaluate";
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
    e = in_a_loop();
    e.stalls[0].in_loop = 7;  // more frames than there are
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
    e = in_a_loop();
    e.stalls[0].in_loop.reset();
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
}

TEST(StallRules, a_disk_that_does_not_answer_is_an_io_stall) {
    WaitingThread blocked = thread(main_pid, WaitKind::disk, {own});
    blocked.state = 'D';
    blocked.call = "openat";
    blocked.wait_channel = "rpc_wait_bit_killable";
    blocked.target = "/mnt/nfs/data.bin";
    const Verdict verdict =
        diagnose(stalled(Story().dies_by(SIGKILL), {{main_pid, false, {blocked}}}, false));
    EXPECT_EQ(verdict.root.cause, "io-stall"_cause);
    EXPECT_EQ(verdict.root.confidence, Confidence::certain);
}

TEST(StallRules, code_that_is_read_again_at_a_full_limit_is_no_io_stall) {
    WaitingThread blocked = thread(main_pid, WaitKind::disk, {own});
    blocked.state = 'D';
    blocked.wait_channel = "folio_wait_bit_common";
    Story story;
    story.dies_by(SIGTERM).signal_seen(SIGTERM, 40s);
    const auto root = [&] {
        return diagnose(stalled(story, {{main_pid, false, {blocked}}}, false)).root.cause;
    };
    EXPECT_EQ(root(), "io-stall"_cause);
    story.limit_touched();
    EXPECT_EQ(root(), "killed"_cause);
    blocked.call = "read";  // reading a file is not the program's own code
    EXPECT_EQ(root(), "io-stall"_cause);
}

TEST(StallRules, a_read_of_the_programs_own_that_nobody_answers_is_likely) {
    WaitingThread reading = thread(main_pid, WaitKind::read, {own});
    reading.call = "recvfrom";
    reading.target = "socket:[4711]";
    const auto verdict = [&] {
        Story story;
        story.dies_by(SIGTERM).signal_seen(SIGTERM, 40s);
        return diagnose(stalled(story, {{main_pid, false, {reading}}}, false));
    };
    EXPECT_EQ(verdict().root.cause, "loader-stall"_cause);
    EXPECT_EQ(verdict().root.confidence, Confidence::likely);
    reading.timed = true;
    EXPECT_EQ(verdict().root.cause, "killed"_cause);
    reading.timed = false;
    reading.target = "/dev/pts/3";  // a prompt: it waits for the user
    EXPECT_EQ(verdict().root.cause, "killed"_cause);
    reading.target = "socket:[4711]";
    reading.frames.push_back({"/v/site-packages/redis/connection.py", 9, "read_response"});
    EXPECT_EQ(verdict().root.cause, "killed"_cause);
}

TEST(StallRules, a_parent_in_vfork_is_in_state_d_but_not_on_a_disk) {
    WaitingThread blocked = thread(main_pid, WaitKind::disk, {own});
    blocked.wait_channel = "kernel_clone";
    EXPECT_EQ(diagnose(stalled(Story().dies_by(SIGKILL), {{main_pid, false, {blocked}}}, false))
                  .root.cause,
              "killed"_cause);
}

TEST(StallRules, a_pool_that_waits_for_a_killed_worker_blames_its_death) {
    Story story;
    story.dies_by(SIGTERM).signal_seen(SIGTERM, 40s).child(200).child_dies(200, SIGKILL, 9s);
    const Verdict verdict = diagnose(stalled(
        story,
        {{main_pid,
          false,
          {thread(main_pid, WaitKind::lock,
                  {own,
                   {"/usr/lib/python3.11/multiprocessing/pool.py", 367, "map"},
                   {"/usr/lib/python3.11/threading.py", 629, "wait"}}),
           thread(101, WaitKind::lock, {{"/usr/lib/python3.11/threading.py", 320, "wait"}})}}},
        true));
    EXPECT_EQ(verdict.outcome, Outcome::stuck);
    EXPECT_EQ(verdict.process.pid, 200);
    EXPECT_EQ(verdict.contributing.front().cause, "loader-stall"_cause);
}

}  // namespace
}  // namespace holdfast::testing
