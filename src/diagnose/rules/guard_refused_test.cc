// HF114: ends by a refusal of the guard, and those that only look like it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/stall_story.h"

namespace holdfast::testing {
namespace {

RefusalEvidence refusal(RefusalEvidence::Kind kind = RefusalEvidence::Kind::refused) {
    return {
        kind, 9s, Bytes::mib(300), Bytes::mib(20), Bytes::mib(1024), {{"train.py", 17, "load"}}};
}

// A MemoryError nobody caught, after the guard refused something.
Story refused(const RefusalEvidence& last = refusal(), int pid = main_pid) {
    Story story;
    story.exits(1).raises("MemoryError", "");
    story.agent(pid).guard = GuardEvidence{1, 0, last};
    return story;
}

TEST(GuardRefused, NamesTheLineAndTheFigures) {
    const Verdict v = refused().verdict();
    EXPECT_EQ(v.end.cause->slug, "guard-refused");
    EXPECT_TRUE(certain(v));
    ASSERT_TRUE(v.end.where);
    EXPECT_EQ(v.end.where->line, 17);
    EXPECT_TRUE(has_evidence(v.end, "asked 300 MiB, left 20 MiB of 1 GiB"));
}

TEST(GuardRefused, ALeakIsItsRoot) {
    Story story = refused();
    story.leaks();
    const Verdict v = story.verdict();
    EXPECT_EQ(v.end.cause->slug, "guard-refused");
    EXPECT_EQ(root_of(v), "host-leak");
}

TEST(GuardRefused, OneRequestThatNeverFitsIsItsRoot) {
    RefusalEvidence large = refusal();
    large.asked = Bytes::gib(3);
    const Verdict v = refused(large).verdict();
    EXPECT_EQ(v.end.cause->slug, "guard-refused");
    EXPECT_EQ(root_of(v), "dataset-in-ram");
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->line, 17);
}

TEST(GuardRefused, ANeighbourThatFilledTheLimitIsItsRoot) {
    RefusalEvidence small = refusal();
    small.asked = Bytes::mib(1);
    small.limit = Bytes::mib(512);
    Story story = refused(small);
    story.held(main_pid, Bytes::mib(60)).neighbour(900, "eater", Bytes::mib(440));
    EXPECT_EQ(root_of(story.verdict()), "oom-victim");
    story.held(main_pid, Bytes::mib(400));
    EXPECT_EQ(root_of(story.verdict()), "guard-refused");
}

TEST(GuardRefused, AWorkersRefusalIsItsParentsLikelyEnd) {
    Story story;
    story.child(200).exits(1).raises("MemoryError", "Caught MemoryError in DataLoader worker");
    story.agent(200).guard = GuardEvidence{1, 0, refusal()};
    const Verdict v = story.verdict();
    EXPECT_EQ(v.end.cause->slug, "guard-refused");
    EXPECT_FALSE(certain(v));
    EXPECT_NE(v.end.summary.find("a worker (pid 200)"), std::string::npos);
}

TEST(GuardRefused, AWorkersRefusalHasItsRootInTheWorker) {
    RefusalEvidence large = refusal();
    large.asked = Bytes::gib(3);
    Story story;
    story.child(200).exits(1).raises("MemoryError", "Unable to allocate 3.00 GiB for an array");
    story.agent(200).guard = GuardEvidence{1, 0, large};
    const Verdict v = story.verdict();
    EXPECT_EQ(v.end.cause->slug, "guard-refused");
    EXPECT_EQ(root_of(v), "dataset-in-ram");
    EXPECT_FALSE(certain(v));
    // The guard refused it, not the system: the machine's free memory is beside the point.
    for (const Statement& also : v.contributing) EXPECT_NE(also.cause->slug, "alloc-refused");
}

TEST(GuardRefused, AWorkersRefusalOfLongAgoIsNotTheEnd) {
    Story story;
    story.child(200).exits(1).raises("MemoryError", "Unable to allocate 3.00 GiB for an array");
    RefusalEvidence early = refusal();
    early.time = -60s;
    story.agent(200).guard = GuardEvidence{1, 0, early};
    EXPECT_EQ(story.verdict().end.cause->slug, "alloc-refused");
}

TEST(GuardRefused, AWarningIsNoRefusal) {
    Story story;
    story.exits(1).raises("MemoryError", "");
    story.agent().guard = GuardEvidence{0, 1, refusal()};
    EXPECT_EQ(story.verdict().end.cause->slug, "alloc-refused");
}

TEST(GuardRefused, ARefusalThatWasDealtWithIsNotTheEnd) {
    Story story;
    story.exits(1).raises("ValueError", "no such column");
    story.agent().guard = GuardEvidence{1, 0, refusal()};
    EXPECT_EQ(story.verdict().end.cause->slug, "exception");
}

TEST(GuardRefused, OneOfLongAgoIsOnlyLikely) {
    Story story = refused();
    story.agent().guard->last.time = -300s;
    EXPECT_FALSE(certain(story.verdict()));
}

TEST(GuardRefused, AKillAfterItIsAKill) {
    Story story = refused();
    story.dies_by(SIGKILL).container_oom();
    EXPECT_EQ(story.verdict().end.cause->slug, "cgroup-oom");
}

Evidence crosswise_after_refusal(RunTime when) {
    Evidence e = crosswise();
    e.stalls[0].told = 20s;
    AgentEvidence agent;
    agent.pid = main_pid;
    agent.guard = GuardEvidence{1,
                                0,
                                {RefusalEvidence::Kind::refused,
                                 when,
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

}  // namespace
}  // namespace holdfast::testing
