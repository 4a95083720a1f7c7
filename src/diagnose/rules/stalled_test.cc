// Runs that did not move when they were stopped, and runs that only rested.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast {
namespace {

using testing::main_pid;
using testing::Story;
using namespace std::chrono_literals;

WaitingThread thread(int tid, WaitKind wait, std::vector<Frame> frames) {
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

const Frame own{"train.py", 42, "step"};
const Frame other_own{"train.py", 77, "save"};
const Frame loader{"/v/lib/python3.11/site-packages/torch/utils/data/dataloader.py", 1290,
                   "_try_get_data"};
const Frame collective{"/v/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py",
                       2501, "all_reduce"};

// Stalled for half a minute when the story ends.
Evidence stalled(Story story, std::vector<StalledProcess> processes, bool inside_only) {
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

Evidence crosswise() {
    return stalled(
        Story().dies_by(SIGTERM).signal_seen(SIGTERM, 40s),
        {{main_pid,
          false,
          {thread(main_pid, WaitKind::lock, {own}), thread(101, WaitKind::lock, {other_own})}}},
        true);
}

TEST(LoaderStall, IsCertainByTheLoadersOwnTimeLimit) {
    Story story;
    story.exits(1).raises("RuntimeError", "DataLoader timed out after 4 seconds");
    const Verdict v = story.verdict();
    EXPECT_EQ(testing::root_of(v), "loader-stall");
    EXPECT_EQ(v.root.confidence, Confidence::certain);
    EXPECT_NE(v.root.summary.find("4 s"), std::string::npos);
}

TEST(StallRules, threads_that_wait_for_each_other_are_the_root_of_a_kill) {
    const Verdict verdict = diagnose(crosswise());
    EXPECT_EQ(verdict.outcome, Outcome::stuck);
    EXPECT_EQ(verdict.end.cause, "killed"_cause);
    EXPECT_EQ(verdict.root.cause, "lock-deadlock"_cause);
    EXPECT_EQ(verdict.root.confidence, Confidence::certain);
    EXPECT_EQ(verdict.root.where->line, 42);
    EXPECT_EQ(verdict.python_stack.size(), 2U);
}

Evidence crosswise_after_refusal(RunTime refused) {
    Evidence e = crosswise();
    e.stalls[0].told = 20s;
    AgentEvidence agent;
    agent.pid = main_pid;
    agent.guard = GuardEvidence{1,
                                0,
                                {RefusalEvidence::Kind::refused,
                                 refused,
                                 Bytes::mib(9),
                                 Bytes::mib(4),
                                 Bytes::mib(512),
                                 {{"train.py", 17, "load"}}}};
    e.agents = {agent};
    return e;
}

TEST(StallRules, a_standstill_right_after_a_refusal_has_the_refusal_as_its_root) {
    const Verdict verdict = diagnose(crosswise_after_refusal(8s));
    EXPECT_EQ(verdict.outcome, Outcome::stuck);
    EXPECT_EQ(verdict.end.cause, "guard-refused"_cause);
    EXPECT_EQ(verdict.root.cause, "guard-refused"_cause);
    EXPECT_EQ(verdict.root.where->line, 17);
    ASSERT_FALSE(verdict.contributing.empty());
    EXPECT_EQ(verdict.contributing.front().cause, "lock-deadlock"_cause);
}

TEST(StallRules, a_refusal_long_before_or_after_it_is_not_its_root) {
    EXPECT_EQ(diagnose(crosswise_after_refusal(-30s)).root.cause, "lock-deadlock"_cause);
    EXPECT_EQ(diagnose(crosswise_after_refusal(30s)).root.cause, "lock-deadlock"_cause);
}

Evidence waiting_for_a_dead_thread(Nanos died) {
    Evidence e = stalled(Story().dies_by(SIGTERM).signal_seen(SIGTERM, 40s),
                         {{main_pid, false, {thread(main_pid, WaitKind::lock, {own})}}}, true);
    AgentEvidence agent;
    agent.pid = main_pid;
    agent.taken = 39s;
    ExceptionEvidence thrown;
    thrown.time = died;
    thrown.thread = "feeder";
    thrown.type = "ValueError";
    thrown.frames = {{"train.py", 43, "parse"}};
    agent.exceptions.push_back(thrown);
    e.agents = {agent};
    return e;
}

TEST(StallRules, a_thread_that_died_long_before_the_end_is_its_root) {
    // In a program that sleeps between short steps, the stall may seem older than it is.
    const Verdict verdict = diagnose(waiting_for_a_dead_thread(15s));
    EXPECT_EQ(verdict.root.cause, "exception"_cause);
    ASSERT_TRUE(verdict.root.where);
    EXPECT_EQ(verdict.root.where->line, 43);
    const Verdict late = diagnose(waiting_for_a_dead_thread(36s));
    EXPECT_NE(late.root.cause, "exception"_cause);
}

TEST(StallRules, times_that_no_clock_shows_do_not_overflow) {
    WaitingThread holder = thread(101, WaitKind::read, {other_own});
    holder.holds_gil = true;
    Evidence e =
        stalled(Story().dies_by(SIGTERM).signal_seen(SIGTERM, 40s),
                {{main_pid, false, {thread(main_pid, WaitKind::running, {own}), holder}}}, false);
    e.stalls[0].since = Nanos::min();
    e.stalls[0].cpu = Nanos{1};
    EXPECT_EQ(diagnose(e).root.cause, "lock-deadlock"_cause);
    e.stalls[0].cpu = Nanos::max();
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
}

TEST(StallRules, a_stall_that_was_over_is_no_cause) {
    Evidence e = crosswise();
    e.stalls[0].moved = 35s;
    const Verdict verdict = diagnose(e);
    EXPECT_EQ(verdict.outcome, Outcome::died);
    EXPECT_EQ(verdict.root.cause, "killed"_cause);
}

TEST(StallRules, a_stall_seen_long_before_the_end_is_no_cause) {
    Evidence e = crosswise();
    e.stalls[0].seen = 20s;
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
}

TEST(StallRules, an_exception_in_a_quiet_program_is_an_exception) {
    Evidence e = crosswise();
    e.signals.clear();
    e.exit = {1, std::nullopt};
    e.processes.front().exit = e.exit;
    EXPECT_NE(diagnose(e).outcome, Outcome::stuck);
}

TEST(StallRules, a_running_program_is_stuck_only_once_that_was_told) {
    Evidence e = crosswise();
    e.ended = false;
    e.command_alive = true;
    e.exit = {};
    e.end_time.reset();
    e.signals.clear();
    e.processes.front().exit.reset();
    e.processes.front().ended.reset();
    EXPECT_EQ(diagnose(e).outcome, Outcome::running);
    e.stalls[0].told = 30s;
    const Verdict verdict = diagnose(e);
    EXPECT_EQ(verdict.outcome, Outcome::stuck);
    EXPECT_EQ(verdict.end.cause, "lock-deadlock"_cause);
    e.stalls[0].moved = 39s;
    EXPECT_EQ(diagnose(e).outcome, Outcome::running);
}

TEST(StallRules, a_lone_thread_at_an_event_waits_for_a_signal) {
    const Evidence e =
        stalled(Story().dies_by(SIGTERM).signal_seen(SIGTERM, 40s),
                {{main_pid,
                  false,
                  {thread(main_pid, WaitKind::lock,
                          {own, {"/usr/lib/python3.11/threading.py", 629, "wait"}})}}},
                true);
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
}

TEST(StallRules, a_debugger_is_no_hang) {
    Evidence e = crosswise();
    e.stalls[0].processes[0].traced = true;
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
}

TEST(StallRules, a_sleep_is_no_hang) {
    WaitingThread sleeping = thread(main_pid, WaitKind::sleep, {own});
    sleeping.timed = true;
    const Evidence e = stalled(Story().dies_by(SIGTERM).signal_seen(SIGTERM, 40s),
                               {{main_pid, false, {sleeping}}}, false);
    EXPECT_EQ(diagnose(e).root.cause, "killed"_cause);
}

Evidence forked(std::uint64_t threads_of_parent) {
    Story story;
    story.dies_by(SIGTERM).signal_seen(SIGTERM, 40s).child(200);
    Evidence e = stalled(story,
                         {{main_pid, false, {thread(main_pid, WaitKind::child, {own})}},
                          {200, false, {thread(200, WaitKind::lock, {other_own})}}},
                         true);
    e.processes[0].threads_peak = threads_of_parent;
    e.processes[1].command = e.processes[0].command;
    e.processes[1].cpu_time = 40ms;
    return e;
}

TEST(StallRules, a_forked_child_alone_with_a_lock_is_a_fork_deadlock) {
    const Verdict verdict = diagnose(forked(2));
    EXPECT_EQ(verdict.root.cause, "fork-deadlock"_cause);
    EXPECT_EQ(verdict.root.confidence, Confidence::certain);
    EXPECT_EQ(verdict.root.where->line, 77);
    EXPECT_EQ(verdict.process.role, "worker");
}

TEST(StallRules, without_threads_in_the_parent_a_fork_deadlock_is_not_certain) {
    EXPECT_EQ(diagnose(forked(1)).root.confidence, Confidence::likely);
}

TEST(StallRules, a_worker_started_afresh_did_not_inherit_the_lock) {
    Evidence e = forked(2);
    e.processes[1].command = "python -c from multiprocessing.spawn import spawn_main";
    EXPECT_NE(diagnose(e).root.cause, "fork-deadlock"_cause);
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

TEST(StallRules, a_rank_that_does_not_join_is_named) {
    Story story;
    story.dies_by(SIGTERM).signal_seen(SIGTERM, 40s).child(200, Role::rank).child(201, Role::rank);
    WaitingThread joined = thread(200, WaitKind::lock, {own, collective});
    joined.timed = true;
    WaitingThread absent = thread(201, WaitKind::sleep, {other_own});
    absent.timed = true;
    Evidence e = stalled(story,
                         {{main_pid, false, {thread(main_pid, WaitKind::sleep, {own})}},
                          {200, false, {joined}},
                          {201, false, {absent}}},
                         false);
    e.processes[1].rank = 0;
    e.processes[2].rank = 1;
    const Verdict verdict = diagnose(e);
    EXPECT_EQ(verdict.root.cause, "collective-timeout"_cause);
    EXPECT_EQ(verdict.process.role, "rank 1");
    EXPECT_EQ(verdict.root.where->line, 77);
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

TEST(StallRules, the_words_of_a_rank_that_gave_up_name_the_collective) {
    const Verdict verdict =
        diagnose(Story()
                     .exits(1)
                     .raises("RuntimeError",
                             "[gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting "
                             "6000ms for recv operation to complete")
                     .evidence());
    EXPECT_EQ(verdict.root.cause, "collective-timeout"_cause);
}

TEST(StallRules, another_timeout_is_not_a_collective) {
    const auto root_of_error = [](const char* type, const char* message) {
        return diagnose(Story().exits(1).raises(type, message).evidence()).root.cause;
    };
    EXPECT_EQ(root_of_error("TimeoutError", "Timed out waiting for the lock file"),
              "exception"_cause);
    EXPECT_EQ(root_of_error("RuntimeError",
                            "Timed out after 30 s: could not send the report to the store"),
              "exception"_cause);
    EXPECT_EQ(root_of_error("torch.distributed.DistStoreError",
                            "Timed out after 6 seconds waiting for clients. 1/2 clients joined."),
              "collective-timeout"_cause);
}

}  // namespace
}  // namespace holdfast
