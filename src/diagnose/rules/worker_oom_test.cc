// HF104, and other deaths of children that did or did not fell their parent.
#include <gtest/gtest.h>

#include "diagnose/death/worker_end.h"
#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

Story worker_killed_by_oom() {
    return std::move(Story()
                         .child(201)
                         .held(201, Bytes::mib(420))
                         .child_dies(201, SIGKILL, 9s)
                         .container_oom(9100ms));
}

TEST(WorkerOom, IsBlamedWhenTheParentsExceptionNamesTheDeadChildsPid) {
    Story story;
    story.child(201).held(201, Bytes::mib(480)).child_dies(201, SIGKILL, 9500ms);
    story.exits(1).container_oom(9500ms).raises("RuntimeError", "worker 201 ended with status 9");
    const Verdict v = story.verdict();
    EXPECT_EQ(end_of(v), "worker-oom");
    EXPECT_EQ(v.process.pid, 201);
}

TEST(WorkerOom, IsNotBlamedForANumberThatIsNoChildsPid) {
    Story story;
    story.child(201).held(201, Bytes::mib(480)).child_dies(201, SIGKILL, 9500ms);
    story.exits(1).container_oom(9500ms).raises("ValueError", "expected 2010 rows, got 1201");
    EXPECT_EQ(end_of(story.verdict()), "exception");
}

TEST(WorkerOom, IsBlamedWhereTheParentTellsItsSignalAsAStatus) {
    for (const char* said : {"fold 0 died with -9", "exit status -9.", "(returncode=-9)"}) {
        Story story = worker_killed_by_oom();
        story.exits(1).raises("RuntimeError", said);
        EXPECT_EQ(end_of(story.verdict()), "worker-oom") << said;
    }
    for (const char* said : {"loss fell to -9.5", "range 0-9", "step --9", "died with -11"}) {
        Story story = worker_killed_by_oom();
        story.exits(1).raises("RuntimeError", said);
        EXPECT_EQ(end_of(story.verdict()), "exception") << said;
    }
}

TEST(WorkerOom, OfAWorkerThatLeaksHasTheLeakAsItsRoot) {
    Story story = worker_killed_by_oom();
    story.leaks(201);
    story.exits(1).raises("BrokenProcessPool", "A process in the process pool was terminated");
    const Verdict v = story.verdict();
    EXPECT_EQ(end_of(v), "worker-oom");
    EXPECT_EQ(root_of(v), "host-leak");
}

TEST(WorkerOom, IsCertainWhenTheParentNamesTheWorker) {
    Story story = worker_killed_by_oom();
    story.exits(1).raises("RuntimeError",
                          "DataLoader worker (pid 201) is killed by signal: Killed. ");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "worker-oom");
    EXPECT_EQ(end_of(v), "worker-oom");
    EXPECT_TRUE(certain(v));
    EXPECT_EQ(v.process.pid, 201);
    EXPECT_EQ(v.process.role, "worker");
    EXPECT_TRUE(contributes(v, "exception"));
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->file, "train.py");
}

TEST(WorkerOom, IsFoundByTheParentsWordsWhenTheStatusWasNotRead) {
    Story story;
    story.child(201).held(201, Bytes::mib(420)).child_gone(201, 9s).container_oom(9100ms);
    story.exits(1).raises("RuntimeError",
                          "DataLoader worker (pid 201) is killed by signal: Killed.");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "worker-oom");
    EXPECT_TRUE(certain(v));
}

TEST(WorkerOom, IsRecognisedBehindABrokenPool) {
    Story story = worker_killed_by_oom();
    story.exits(1).raises("concurrent.futures.process.BrokenProcessPool",
                          "A process in the process pool was terminated abruptly");
    EXPECT_EQ(root_of(story.verdict()), "worker-oom");
}

TEST(WorkerOom, ComesBeforeTheWorkersThatThePoolKilledBecauseOfIt) {
    Story story;
    story.exits(1).raises("BrokenProcessPool",
                          "A process in the process pool was terminated abruptly");
    story.child(201).child(202).container_oom(9s).logged_oom(202, "CONSTRAINT_MEMCG", 8900ms);
    story.evidence().kernel_log_complete = true;
    // One look sees that both are gone.
    story.child_dies(201, SIGKILL, 9s).child_dies(202, SIGKILL, 9s);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "worker-oom");
    EXPECT_EQ(v.process.pid, 202);
}

TEST(WorkerOom, WithoutWordsIsLikelyRightBeforeTheParentsFailure) {
    Story story = worker_killed_by_oom();
    story.exits(1).stderr_hidden();
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "worker-oom");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(WorkerOom, IsNotTheRootOfAParentThatWasKilledByHandLater) {
    Story story = worker_killed_by_oom();
    story.dies_by(SIGKILL);
    const Verdict v = story.verdict();
    EXPECT_EQ(end_of(v), "killed");
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_TRUE(contributes(v, "cgroup-oom"));
    EXPECT_EQ(v.process.pid, main_pid);
}

TEST(WorkerOom, IsNotTheRootOfAParentThatWasAskedToStop) {
    Story story = worker_killed_by_oom();
    story.exits(1).signal_seen(SIGTERM, 9500ms);
    EXPECT_EQ(root_of(story.verdict()), "killed");
}

TEST(WorkerOom, IsNotTheRootOfAnUnrelatedException) {
    Story story = worker_killed_by_oom();
    story.exits(1).raises("ValueError", "bad learning rate");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "exception");
    EXPECT_TRUE(contributes(v, "cgroup-oom"));
}

TEST(WorkerOom, LongBeforeTheParentsFailureIsNoCauseWithoutWords) {
    Story story;
    story.child(201).child_dies(201, SIGKILL, 2s).at(201).last_seen = 1900ms;
    story.evidence().end_time = 60s;
    story.at(main_pid).ended = 60s;
    story.container_oom(2100ms).exits(3);
    EXPECT_EQ(root_of(story.verdict()), "exit-called");
}

TEST(WorkerOom, OfAParentThatFinishedOnlyContributes) {
    Story story = worker_killed_by_oom();
    const Verdict v = story.exits(0).verdict();
    EXPECT_EQ(v.outcome, Outcome::finished);
    EXPECT_EQ(root_of(v), "clean-exit");
    EXPECT_EQ(end_of(v), "clean-exit");
    EXPECT_TRUE(contributes(v, "cgroup-oom"));
}

Story worker_at(int line) {
    Story story = worker_killed_by_oom();
    story.exits(1).raises("BrokenProcessPool",
                          "A process in the process pool was terminated abruptly");
    story.agent(201).place = {{"work.py", line, "task"}};
    story.agent(201).place_time = 8900ms;
    return story;
}

SiteEvidence asked_at(int line, Bytes live, Bytes peak) {
    SiteEvidence site;
    site.frames = {{"work.py", line, "task"}};
    site.live = live;
    site.peak = peak;
    site.blocks = 1;
    return site;
}

TEST(WorkerOom, IsAtTheLineThatAskedForMostOfTheMemory) {
    Story story = worker_at(21);
    EXPECT_EQ(story.verdict().root.where->line, 21);
    story.agent(201).live = Bytes::mib(400);
    story.agent(201).sites = {asked_at(20, Bytes::mib(300), Bytes::mib(300)),
                              asked_at(21, Bytes::mib(100), Bytes::mib(100))};
    EXPECT_EQ(story.verdict().root.where->line, 20);
    // No line holds most of it.
    story.agent(201).sites[0].live = story.agent(201).sites[0].peak = Bytes::mib(180);
    EXPECT_EQ(story.verdict().root.where->line, 21);
}

TEST(WorkerOom, IsAtTheLineOfABlockThatWasBeingFilled) {
    Story story = worker_at(21);
    story.agent(201).live = Bytes::mib(2);
    story.agent(201).sites = {asked_at(21, Bytes::mib(2), Bytes::mib(2)),
                              asked_at(20, Bytes{}, Bytes::mib(900))};
    EXPECT_EQ(story.verdict().root.where->line, 20);
    // The memory is known to be held elsewhere.
    story.agent(201).live = Bytes::mib(300);
    EXPECT_EQ(story.verdict().root.where->line, 21);
    // The block has been given back.
    story.agent(201).live = Bytes::mib(2);
    story.agent(201).sites[1].blocks = 0;
    EXPECT_EQ(story.verdict().root.where->line, 21);
}

TEST(WorkerKilled, ByHandIsNotOom) {
    Story story;
    story.child(201).child_dies(201, SIGKILL, 9s);
    story.exits(1).raises("RuntimeError",
                          "DataLoader worker (pid 201) is killed by signal: Killed.");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_EQ(v.process.pid, 201);
}

TEST(WorkerCrash, ThatFelledTheParentIsTheRoot) {
    Story story;
    story.child(201).child_dies(201, SIGSEGV, 9s);
    story.exits(1).raises("RuntimeError", "DataLoader worker (pid(s) 201) exited unexpectedly");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "segfault");
    EXPECT_EQ(v.process.role, "worker");
    EXPECT_TRUE(contributes(v, "exception"));
}

TEST(WorkerCrash, IsTheRootWhereALauncherHandsItsEndOn) {
    for (const int status : {128 + SIGHUP, 256 - SIGHUP}) {
        Story story;
        story.child(201, Role::helper).child_dies(201, SIGHUP, 9900ms).exits(status);
        EXPECT_EQ(root_of(story.verdict()), "hangup") << status;
        EXPECT_EQ(story.verdict().process.pid, 201) << status;
    }
    Story other;
    other.child(201, Role::helper).child_dies(201, SIGHUP, 9900ms).exits(128 + SIGTERM);
    EXPECT_NE(other.verdict().process.pid, 201);
}

TEST(WorkerCrash, ThatNobodySawLiveIsListedByItsRecord) {
    Story story;
    story.exits(0).crash(SIGSEGV, 1, 321);
    EXPECT_EQ(root_of(story.verdict()), "clean-exit");
    EXPECT_TRUE(contributes(story.verdict(), "segfault"));
}

TEST(RankOom, IsTheRanksOwnEnd) {
    Story story;
    story.child(201, Role::rank).at(201).rank = 3;
    story.held(201, Bytes::mib(420)).child_dies(201, SIGKILL, 9s).container_oom(9100ms);
    story.exits(1).raises("torch.distributed.elastic.multiprocessing.errors.ChildFailedError",
                          "train.py FAILED");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_EQ(v.process.role, "rank 3");
}

TEST(WorkerText, ReadsPidsAndSignals) {
    const auto loader = worker_text("x\nRuntimeError: DataLoader worker (pid(s) 7, 8) exited\n");
    ASSERT_TRUE(loader);
    EXPECT_EQ(loader->pids, (std::vector<int>{7, 8}));
    EXPECT_FALSE(loader->signal);
    const auto joblib = worker_text(
        "joblib.externals.loky.process_executor.TerminatedWorkerError: A worker stopped.\n\n"
        "The exit codes of the workers are {SIGKILL(-9)}\n");
    ASSERT_TRUE(joblib);
    EXPECT_EQ(joblib->signal, SIGKILL);
    EXPECT_FALSE(worker_text("ValueError: a worker\n"));
}

TEST(Worker, OneThatCameAndWentBetweenTwoLooksIsKnownByTheKernelsWord) {
    Story story;
    story
        .raises("subprocess.CalledProcessError",
                "Command '['python']' died with <Signals.SIGKILL: 9>.")
        .exits(1)
        .container_oom()
        .logged_oom(777, "CONSTRAINT_MEMCG", std::chrono::milliseconds(9900));
    const Verdict verdict = story.verdict();
    EXPECT_EQ(verdict.end.cause, "worker-oom"_cause);
    EXPECT_EQ(verdict.process.pid, 777);
}

}  // namespace
}  // namespace holdfast::testing
