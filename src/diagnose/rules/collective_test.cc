// HF704, found in the words of a rank or while the others wait for it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/stall_story.h"

namespace holdfast::testing {
namespace {

const Frame collective{"/v/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py",
                       2501, "all_reduce"};

constexpr auto watchdog =
    "[rank1]:[E ProcessGroupNCCL.cpp:616] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=7, OpType=ALLREDUCE) ran for 600000 milliseconds before timing out.\n";

TEST(CollectiveTimeout, TheWatchdogsWordsBeforeAnAbortAreCertain) {
    const Verdict verdict = Story().dies_by(SIGABRT).says(watchdog).verdict();
    EXPECT_EQ(root_of(verdict), "collective-timeout");
    EXPECT_TRUE(certain(verdict));
}

TEST(CollectiveTimeout, TheSameWordsBeforeAnotherEndAreNone) {
    EXPECT_NE(root_of(Story().dies_by(SIGSEGV).says(watchdog).verdict()), "collective-timeout");
    EXPECT_NE(root_of(Story().exits(3).says(watchdog).verdict()), "collective-timeout");
    EXPECT_NE(root_of(Story().exits(0).says(watchdog).verdict()), "collective-timeout");
}

TEST(CollectiveTimeout, AMessageThatTheProgramCaughtLongAgoIsNone) {
    const std::string later = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
    EXPECT_NE(root_of(Story().dies_by(SIGABRT).says(watchdog + later).verdict()),
              "collective-timeout");
}

TEST(CollectiveTimeout, TheStoreAndTheBarrierHaveWordsOfTheirOwn) {
    for (const char* message :
         {"Timed out after 31 seconds waiting for clients. 1/2 clients joined.",
          "Rank 1 failed to pass monitoredBarrier in 3000 ms",
          "wait timeout after 1000ms, keys: /default_pg/0 Timed out waiting for the store"}) {
        const Verdict verdict = Story().exits(1).raises("RuntimeError", message).verdict();
        EXPECT_EQ(root_of(verdict), "collective-timeout") << message;
    }
}

TEST(CollectiveTimeout, ATimeoutOfAnythingElseIsAnException) {
    for (const char* message :
         {"Timed out after 30 s: the page did not load", "Timed out waiting for the lock file"})
        EXPECT_EQ(root_of(Story().exits(1).raises("TimeoutError", message).verdict()), "exception")
            << message;
}

// torchrun only says that a rank failed.
Story launcher_of_a_rank(bool in_main_thread) {
    Story story;
    story.exits(1).child(200, Role::rank).child_exits(200, 1, 9s);
    story.at(200).rank = 3;
    ExceptionEvidence thrown;
    thrown.type = "RuntimeError";
    thrown.message =
        "[gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 6000ms for recv operation to "
        "complete";
    thrown.in_main_thread = in_main_thread;
    thrown.time = 8900ms;
    thrown.frames = {{"train.py", 42, "reduce"}};
    story.agent(200).exceptions = {thrown};
    return story;
}

TEST(CollectiveTimeout, ARanksOwnExceptionIsNamedBehindItsLauncher) {
    const Verdict verdict = launcher_of_a_rank(true).verdict();
    EXPECT_EQ(root_of(verdict), "collective-timeout");
    ASSERT_TRUE(verdict.root.where);
    EXPECT_EQ(verdict.root.where->line, 42);
    EXPECT_TRUE(certain(verdict));
}

TEST(CollectiveTimeout, AnExceptionInAnotherThreadOfARankIsNotItsEnd) {
    EXPECT_NE(root_of(launcher_of_a_rank(false).verdict()), "collective-timeout");
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
}  // namespace holdfast::testing
