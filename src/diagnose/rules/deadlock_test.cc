// HF701 and HF706: locks that nobody releases, and programs that only rest.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/stall_story.h"

namespace holdfast::testing {
namespace {

TEST(StallRules, threads_that_wait_for_each_other_are_the_root_of_a_kill) {
    const Verdict verdict = diagnose(crosswise());
    EXPECT_EQ(verdict.outcome, Outcome::stuck);
    EXPECT_EQ(verdict.end.cause, "killed"_cause);
    EXPECT_EQ(verdict.root.cause, "lock-deadlock"_cause);
    EXPECT_EQ(verdict.root.confidence, Confidence::certain);
    EXPECT_EQ(verdict.root.where->line, 42);
    EXPECT_EQ(verdict.python_stack.size(), 2U);
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

}  // namespace
}  // namespace holdfast::testing
