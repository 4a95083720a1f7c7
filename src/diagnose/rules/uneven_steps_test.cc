// Step times that are uneven because of the machine, and those that are the program's own.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

Story with_uneven_steps() {
    Story story;
    StepsEvidence& steps = story.exits(0).agent().steps;
    steps.count = 200;
    steps.recent_median = 60ms;
    steps.recent_slowest = 400ms;
    story.evidence().pressure.cpu_some = 90;
    ProcessEvidence& process = story.evidence().processes[0];
    process.first_seen = 0s;
    process.ended = 100s;
    process.cpu_time = 40s;
    return story;
}

TEST(UnevenSteps, AreToldWhereTheMachineShowsWhy) {
    Story story = with_uneven_steps();
    EXPECT_TRUE(contributes(story.verdict(), "uneven-steps"));
    story.evidence().pressure.cpu_some = 20;
    EXPECT_FALSE(contributes(story.verdict(), "uneven-steps"));
    story.evidence().pressure.io_full = 30;
    EXPECT_TRUE(contributes(story.verdict(), "uneven-steps"));
    story.agent().steps.recent_slowest = 200ms;
    EXPECT_FALSE(contributes(story.verdict(), "uneven-steps"));
}

TEST(UnevenSteps, OfAProgramThatAlwaysHadItsCoreAreItsOwn) {
    Story story = with_uneven_steps();
    story.evidence().processes[0].cpu_time = 98s;
    EXPECT_FALSE(contributes(story.verdict(), "uneven-steps"));
    story.evidence().processes[0].cpu_time = 250s;  // several busy threads: nobody can tell
    EXPECT_TRUE(contributes(story.verdict(), "uneven-steps"));
}

}  // namespace
}  // namespace holdfast::testing
