// HF101 and HF102, and what must not be called any of them.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

TEST(CgroupOom, IsCertainWhenTheOwnCountMovedAndTheLimitsEventToo) {
    const Verdict v =
        Story().held(main_pid, Bytes::mib(498)).dies_by(SIGKILL).container_oom().verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_EQ(end_of(v), "cgroup-oom");
    EXPECT_TRUE(certain(v));
    EXPECT_EQ(v.outcome, Outcome::died);
    EXPECT_EQ(v.process.pid, main_pid);
    EXPECT_EQ(v.process.role, "main");
    EXPECT_TRUE(has_evidence(v.root, "memory.events: oom_kill 0 -> 1"));
    EXPECT_NE(v.root.summary.find("512 MiB"), std::string::npos) << v.root.summary;
    EXPECT_NE(v.root.summary.find("498 MiB"), std::string::npos) << v.root.summary;
    ASSERT_FALSE(v.root.fixes.empty());
    EXPECT_NE(v.root.fixes[0].code.find("--memory=768m"), std::string::npos)
        << v.root.fixes[0].code;
}

TEST(CgroupOom, IsCertainOnV1WithFailcntOrPeakAtTheLimit) {
    Story failcnt;
    failcnt.held(main_pid, Bytes::mib(490)).v1().dies_by(SIGKILL).container_oom();
    EXPECT_EQ(root_of(failcnt.verdict()), "cgroup-oom");
    EXPECT_TRUE(certain(failcnt.verdict()));

    // If memsw.limit equals the limit, failcnt stays 0.
    Story memsw;
    memsw.held(main_pid, Bytes::mib(490)).v1().dies_by(SIGKILL).container_oom();
    memsw.own().limit_hits_last = 0;
    memsw.own().peak = Bytes::mib(510);
    EXPECT_EQ(root_of(memsw.verdict()), "cgroup-oom");
    EXPECT_TRUE(certain(memsw.verdict()));
}

TEST(CgroupOom, SeesTheLimitOfAnAncestorOnV1) {
    Story story;
    story.held(main_pid, Bytes::mib(490)).v1().dies_by(SIGKILL).oom_kill_counted();
    CgroupLevel outer = story.own();
    story.own().limit.reset();
    outer.path = "/docker";
    outer.oom_kill_last = 0;  // a kill at an ancestor's limit is not counted there
    outer.limit_hits_last = 7;
    outer.peak = outer.limit;
    story.evidence().cgroups[0].levels.push_back(outer);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("the limit of /docker,"), std::string::npos) << v.root.summary;
}

TEST(CgroupOom, IsCertainWhenTheKernelLogNamesThePid) {
    const Verdict v = Story()
                          .dies_by(SIGKILL)
                          .oom_counters_hidden()
                          .logged_oom(main_pid, "CONSTRAINT_MEMCG")
                          .verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_TRUE(certain(v));
}

TEST(CgroupOom, DoesNotComparePidsOfAnotherNamespace) {
    Story story;
    story.dies_by(SIGKILL).oom_counters_hidden().logged_oom(main_pid, "CONSTRAINT_MEMCG");
    story.evidence().host.in_first_pid_namespace = false;
    EXPECT_EQ(root_of(story.verdict()), "unknown-kill");
}

TEST(CgroupOom, IgnoresALogLineAboutAnEarlierUserOfThePid) {
    Story story;
    story.exits(3).logged_oom(main_pid, "CONSTRAINT_MEMCG");
    EXPECT_EQ(root_of(story.verdict()), "exit-called");
}

TEST(CgroupOom, IsOnlyLikelyWhenAStrangerOfTheCgroupWentAwayToo) {
    const Verdict v = Story()
                          .held(main_pid, Bytes::mib(480))
                          .dies_by(SIGKILL)
                          .container_oom()
                          .stranger_gone(900)
                          .verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(CgroupOom, OfASmallProcessBesideAStrangerGoneIsNotClaimed) {
    const Verdict v = Story().dies_by(SIGKILL).container_oom().stranger_gone(900).verdict();
    EXPECT_EQ(root_of(v), "unknown-kill");
    EXPECT_NE(v.root.summary.find("2 processes"), std::string::npos) << v.root.summary;
}

TEST(CgroupOom, WithoutAVisibleLimitIsOnlyLikely) {
    Story story;
    story.dies_by(SIGKILL).oom_kill_counted();
    story.own().limit.reset();
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(CgroupOom, CountsEveryOneOfOursThatDiedInTheWindow) {
    Story story;
    story.held(main_pid, Bytes::mib(490))
        .child(201)
        .child_dies(201, SIGKILL, 9900ms)
        .dies_by(SIGKILL)
        .container_oom(10s, 2);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_TRUE(certain(v));
}

// A short-lived neighbour may have filled the limit and been killed for it, leaving only the count,
// in the very second in which somebody killed us by hand.
TEST(CgroupOom, IsOnlyLikelyWhenNobodySeenHadFilledTheLimit) {
    const Verdict v = Story().dies_by(SIGKILL).container_oom().verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(CgroupOom, IsRuledOutByALogThatWasReadWholeAndNamesAnother) {
    Story story;
    story.held(main_pid, Bytes::mib(490)).dies_by(SIGKILL).container_oom();
    story.logged_oom(900, "CONSTRAINT_MEMCG");
    story.evidence().kernel_log_complete = true;
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_TRUE(certain(v));
}

TEST(CgroupOom, OfAGroupThatTookTheSupervisorTooIsLikely) {
    Story story;
    story.container_oom().supervisor_lost();
    story.evidence().cgroups[0].levels[0].oom_group = true;
    const Verdict v = story.verdict();
    EXPECT_EQ(v.outcome, Outcome::died);
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(CgroupOom, IsCertainAfterTheSupervisorsDeathWhenTheLogNamesThePid) {
    Story story;
    story.supervisor_lost().logged_oom(main_pid, "CONSTRAINT_MEMCG");
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    EXPECT_TRUE(certain(story.verdict()));
}

TEST(HostOom, IsCertainWhenTheKernelLogSaysSo) {
    const Verdict v = Story().dies_by(SIGKILL).logged_oom(main_pid, "CONSTRAINT_NONE").verdict();
    EXPECT_EQ(root_of(v), "host-oom");
    EXPECT_TRUE(certain(v));
}

TEST(HostOom, IsLikelyFromTheMachinesFiguresAlone) {
    Story story;
    story.dies_by(SIGKILL).machine_full().held(main_pid, Bytes::gib(40)).oom_kill_counted();
    story.own().oom_kill_first.reset();
    story.own().oom_kill_last.reset();
    story.evidence().cgroups[0].kills.clear();
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "host-oom");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(HostOom, IsCertainWhenTheOwnCountIsTiedToItAndNoLimitWasReached) {
    const Verdict v = Story()
                          .dies_by(SIGKILL)
                          .machine_full()
                          .held(main_pid, Bytes::gib(40))
                          .oom_kill_counted()
                          .verdict();
    EXPECT_EQ(root_of(v), "host-oom");
    EXPECT_TRUE(certain(v));
}

TEST(HostOom, IsNotClaimedForASmallProcessOnTheMachinesCountAlone) {
    Story story;
    story.dies_by(SIGKILL).machine_full().oom_kill_counted();
    story.own().oom_kill_first.reset();
    story.own().oom_kill_last.reset();
    story.evidence().cgroups[0].kills.clear();
    EXPECT_EQ(root_of(story.verdict()), "unknown-kill");
}

TEST(NotOom, ASigkillByHandWithEveryCounterStillIsKilled) {
    const Verdict v = Story().dies_by(SIGKILL).verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("OOM killer did not do it"), std::string::npos);
}

TEST(NotOom, ALimitReachedAndReclaimedIsNoKill) {
    EXPECT_EQ(root_of(Story().limit_touched().dies_by(SIGKILL).verdict()), "killed");
    EXPECT_EQ(root_of(Story().limit_touched().exits(0).verdict()), "clean-exit");
}

TEST(NotOom, AKillOfSomebodyElseOnTheMachineInTheSameSecondIsNotOurs) {
    Story story;
    story.dies_by(SIGKILL);
    *story.evidence().host.oom_kill_last += 1;
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "killed");
}

TEST(NotOom, AKillThatTheLogAscribesToANeighbourIsNotOurs) {
    const Verdict v = Story()
                          .held(main_pid, Bytes::mib(400))
                          .dies_by(SIGKILL)
                          .container_oom()
                          .logged_oom(900, "CONSTRAINT_MEMCG")
                          .verdict();
    EXPECT_EQ(root_of(v), "killed");
}

TEST(NotOom, AnOldKillLongBeforeTheEndIsNotOurs) {
    EXPECT_EQ(root_of(Story().dies_by(SIGKILL).container_oom(3s).verdict()), "killed");
}

TEST(NotOom, AWorkerKilledFirstExplainsTheCount) {
    const Verdict v = Story()
                          .held(main_pid, Bytes::mib(300))
                          .child(201)
                          .held(201, Bytes::mib(200))
                          .child_dies(201, SIGKILL, 9950ms)
                          .dies_by(SIGKILL)
                          .container_oom()
                          .verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_TRUE(contributes(v, "cgroup-oom"));
}

TEST(NotOom, AChildGoneUnseenInTheSameMomentLeavesItOpen) {
    const Verdict v = Story()
                          .held(main_pid, Bytes::mib(300))
                          .child(201)
                          .held(201, Bytes::mib(200))
                          .child_gone(201, 9950ms)
                          .dies_by(SIGKILL)
                          .container_oom()
                          .verdict();
    EXPECT_EQ(root_of(v), "unknown-kill");
}

TEST(Wrapper, PassesOnAnOomKillOfTheProgram) {
    Story story;
    story.behind_shell(137).held(101, Bytes::mib(480)).container_oom();
    story.at(101).exit = ExitStatus{std::nullopt, SIGKILL};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_TRUE(certain(v));
    story.at(101).exit.reset();
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
}

}  // namespace
}  // namespace holdfast::testing
