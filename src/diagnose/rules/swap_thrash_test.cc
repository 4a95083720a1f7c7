// HF112: a program that swaps, and a neighbour that does.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

TEST(SwapThrash, ContributesToAnOomAndIsTheRootWhenSomebodyGaveUp) {
    Story story;
    story.evidence().pressure.memory_full = 71;
    story.evidence().pressure.swap_in_pages_per_second = 9000;
    story.evidence().processes[0].major_faults = 4000;
    story.evidence().processes[0].swap = Bytes::mib(500);
    EXPECT_TRUE(contributes(story.exits(0).verdict(), "swap-thrash"));
    EXPECT_EQ(root_of(story.verdict()), "clean-exit");

    const Verdict killed = story.dies_by(SIGKILL).verdict();
    EXPECT_EQ(end_of(killed), "killed");
    EXPECT_EQ(root_of(killed), "swap-thrash");
    EXPECT_EQ(killed.root.confidence, Confidence::likely);

    EXPECT_EQ(root_of(story.container_oom().verdict()), "cgroup-oom");
}

TEST(SwapThrash, NeedsPagesThatCameBack) {
    Story story;
    story.exits(0).evidence().pressure.memory_full = 71;
    EXPECT_FALSE(contributes(story.verdict(), "swap-thrash"));
}

TEST(SwapThrash, OfANeighbourIsNotOurs) {
    Story story;
    PressureEvidence& pressure = story.exits(0).evidence().pressure;
    pressure.memory_full = 72;
    pressure.major_faults_per_second = 2700;
    pressure.window = 30s;
    story.evidence().processes[0].major_faults = 300;
    EXPECT_FALSE(contributes(story.verdict(), "swap-thrash"));
    story.evidence().processes[0].major_faults = 30'000;
    EXPECT_FALSE(contributes(story.verdict(), "swap-thrash"));  // memory was not short here
    story.evidence().processes[0].swap = Bytes::mib(500);
    EXPECT_TRUE(contributes(story.verdict(), "swap-thrash"));
}

}  // namespace
}  // namespace holdfast::testing
