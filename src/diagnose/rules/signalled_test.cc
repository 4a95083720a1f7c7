// HF903 to HF906, HF909 and HF910: who ended the run by a signal, and what was no kill.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

TEST(CrashRecord, OfASignalThatWasSentIsAKill) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
        Story story;
        CrashEvidence& crash = story.dies_by(signal).crash(signal, 0);
        crash.sender_pid = 77;
        crash.sender_uid = 1000;
        const Verdict v = story.verdict();
        EXPECT_EQ(root_of(v), "killed") << signal;
        EXPECT_NE(v.root.summary.find("pid 77"), std::string::npos) << v.root.summary;
    }
}

TEST(Signals, OfOtherKindsAreKilledWithoutCertainty) {
    const Verdict v = Story().dies_by(SIGUSR1).verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_EQ(v.root.confidence, Confidence::unknown);
}

constexpr auto* torchrun = "/v/bin/python3 -m torch.distributed.run --nproc-per-node 2 train.py";

TEST(StoppedByLauncher, IsToldByTheSenderOfTheSignal) {
    for (const char* sender : {torchrun, "/v/bin/python /v/bin/torchrun train.py", "orted --hnp",
                               "/ray/raylet --store_socket_name=x"}) {
        Story story;
        story.dies_by(SIGTERM).signal_seen(SIGTERM, 9s, 77, sender);
        EXPECT_EQ(root_of(story.verdict()), "stopped-by-launcher") << sender;
        EXPECT_TRUE(certain(story.verdict())) << sender;
        EXPECT_FALSE(contributes(story.verdict(), "killed")) << sender;
    }
}

TEST(StoppedByLauncher, IsNotAPersonNorAProgramThatOnlySpeaksOfALauncher) {
    for (const char* sender : {"bash", "kill 4711", "/bin/sh torchrun.sh",
                               "/v/bin/python stop.py torchrun", "vim torchrun"}) {
        Story story;
        story.dies_by(SIGTERM).signal_seen(SIGTERM, 9s, 77, sender);
        EXPECT_EQ(root_of(story.verdict()), "killed") << sender;
    }
}

TEST(StoppedByLauncher, IsLikelyWhereASigkillFollowed) {
    Story story;
    story.dies_by(SIGKILL).signal_seen(SIGTERM, 8s, 77, "mpirun -np 4 python train.py");
    EXPECT_EQ(root_of(story.verdict()), "stopped-by-launcher");
    EXPECT_FALSE(certain(story.verdict()));
    story.container_oom();
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(StoppedByLauncher, OfSlurmIsNeitherItsTimeLimitNorAnUnknownOne) {
    Story story;
    story.dies_by(SIGTERM).signal_seen(SIGTERM, 9s, 5, "slurmstepd: [42.0]");
    story.evidence().scheduler.kind = "slurm";
    EXPECT_EQ(root_of(story.verdict()), "preempted");
    story.evidence().scheduler.ends_at = 30s;
    EXPECT_EQ(root_of(story.verdict()), "preempted");
    EXPECT_TRUE(certain(story.verdict()));
    story.evidence().scheduler.ends_at = 4000s;
    EXPECT_EQ(root_of(story.verdict()), "stopped-by-launcher");
    EXPECT_FALSE(certain(story.verdict()));
}

TEST(StoppedByLauncher, AtSlurmsTimeLimitIsOnlyHowItEnded) {
    Story story;
    story.dies_by(SIGTERM).signal_seen(SIGTERM, 9s, 5, torchrun);
    story.evidence().scheduler.kind = "slurm";
    story.evidence().scheduler.ends_at = 30s;
    EXPECT_EQ(end_of(story.verdict()), "stopped-by-launcher");
    EXPECT_EQ(root_of(story.verdict()), "preempted");
}

TEST(StoppedByLauncher, StandsBesideTheRankThatFailed) {
    Story story;
    story.at(main_pid).command = torchrun;
    story.child(200, Role::rank).at(200).rank = 0;
    story.child(201, Role::rank).at(201).rank = 1;
    raised_in(story, 200, "ValueError", "no sample", 8s);
    story.child_exits(200, 1, 8500ms).child_dies(201, SIGTERM, 9s);
    SignalSeen term;
    term.number = SIGTERM;
    term.time = 8900ms;
    term.sender_pid = main_pid;
    term.sender = "/v/bin/python3";
    story.agent(201).signals = {term};
    story.exits(1).raises("torch.distributed.elastic.multiprocessing.errors.ChildFailedError",
                          "train.py FAILED");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "exception");
    EXPECT_EQ(v.process.role, "rank 0");
    EXPECT_TRUE(contributes(v, "stopped-by-launcher"));
}

TEST(LastPlace, StandsInTheVerdictOfAKillNobodySawComing) {
    Story story;
    story.dies_by(SIGKILL).agent().place = {{"train.py", 42, "main"}};
    story.agent().place_time = 9500ms;
    EXPECT_EQ(story.verdict().python_stack.size(), 1U);
    story.agent().place_time = 1s;
    EXPECT_TRUE(story.verdict().python_stack.empty());
}

TEST(UnknownKill, SaysWhatCouldNotBeRead) {
    const Verdict v = Story().dies_by(SIGKILL).oom_counters_hidden().verdict();
    EXPECT_EQ(root_of(v), "unknown-kill");
    EXPECT_EQ(v.root.confidence, Confidence::unknown);
    EXPECT_GE(v.missing.size(), 2U);
}

TEST(UnknownKill, IsTheAnswerWhenTheSupervisorDiedAndNothingIsLeft) {
    const Verdict v = Story().supervisor_lost().verdict();
    EXPECT_EQ(v.outcome, Outcome::died);
    EXPECT_EQ(root_of(v), "unknown-kill");
    EXPECT_FALSE(v.missing.empty());
}

TEST(Killed, NamesTheSenderOfSigterm) {
    const Verdict v = Story().dies_by(SIGTERM).signal_seen(SIGTERM, 9900ms, 77, "bash").verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("bash (pid 77, uid 1000)"), std::string::npos) << v.root.summary;
}

TEST(Killed, BySigtermWithoutASenderIsLikely) {
    const Verdict v = Story().dies_by(SIGTERM).verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(Killed, HoldsForAProgramThatHandlesSigtermAndFails) {
    const Verdict polite = Story().exits(143).signal_seen(SIGTERM, 9s).verdict();
    EXPECT_EQ(root_of(polite), "killed");
    EXPECT_TRUE(certain(polite));
    const Verdict other = Story().exits(3).signal_seen(SIGTERM, 9s).verdict();
    EXPECT_EQ(end_of(other), "killed");
    EXPECT_EQ(other.root.confidence, Confidence::likely);
}

TEST(Killed, DoesNotBlameASignalLongPast) {
    Story story;
    story.exits(3).signal_seen(SIGTERM, 1s).evidence().end_time = 1000s;
    EXPECT_EQ(root_of(story.verdict()), "exit-called");
}

TEST(Killed, BehindAShellNamesTheProgram) {
    Story story;
    story.behind_shell(137).at(101).exit = ExitStatus{std::nullopt, SIGKILL};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_TRUE(certain(v));
    EXPECT_EQ(v.process.pid, 101);
    EXPECT_EQ(v.process.role, "main");
    EXPECT_EQ(v.exit.code, 137);
}

TEST(Killed, ByAShellsHintAloneIsLikely) {
    const Verdict v = Story().behind_shell(137).verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(Wrapper, CalledTimeoutIsTheSender) {
    Story story;
    story.behind_shell(124).at(main_pid).name = "timeout";
    story.at(main_pid).command = "timeout 10 python train.py";
    story.at(101).exit = ExitStatus{std::nullopt, SIGTERM};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_NE(v.root.summary.find("timeout 10"), std::string::npos) << v.root.summary;
}

TEST(Interrupted, BySignalCodeOrKeyboardInterrupt) {
    EXPECT_EQ(root_of(Story().dies_by(SIGINT).verdict()), "interrupted");
    EXPECT_TRUE(certain(Story().dies_by(SIGINT).verdict()));
    EXPECT_EQ(root_of(Story().exits(130).signal_seen(SIGINT, 9s).verdict()), "interrupted");
    EXPECT_EQ(root_of(Story().exits(1).raises("KeyboardInterrupt", "").verdict()), "interrupted");
}

TEST(Hangup, BySighup) {
    const Verdict v = Story().dies_by(SIGHUP).verdict();
    EXPECT_EQ(root_of(v), "hangup");
    EXPECT_TRUE(certain(v));
}

TEST(Preempted, BySlurmsStepDaemonOrAtItsEndTime) {
    Story story;
    story.dies_by(SIGTERM).evidence().scheduler.kind = "slurm";
    EXPECT_EQ(root_of(story.verdict()), "killed");
    story.evidence().scheduler.ends_at = 30s;
    EXPECT_EQ(root_of(story.verdict()), "preempted");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.signal_seen(SIGTERM, 9s, 5, "slurmstepd: [42.batch]");
    EXPECT_TRUE(certain(story.verdict()));
    story.evidence().signals.clear();
    story.signal_seen(SIGTERM, 9s, 5, "'slurmstepd: [42.batch]'");
    EXPECT_TRUE(certain(story.verdict()));
}

}  // namespace
}  // namespace holdfast::testing
