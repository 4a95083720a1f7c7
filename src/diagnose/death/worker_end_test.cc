#include "diagnose/death/worker_end.h"

#include <gtest/gtest.h>

#include "diagnose/autopsy.h"
#include "diagnose/evidence_builder.h"

namespace holdfast {
namespace {

using testing::Story;
using namespace std::chrono_literals;

Story loses_a_worker() {
    Story story;
    story.exits(1).child(200).child_dies(200, SIGKILL, 9900ms).container_oom(9900ms);
    return story;
}

TEST(FatalChild, HasAnAutopsyOfItsOwn) {
    Story story = loses_a_worker();
    story.raises("RuntimeError", "DataLoader worker (pid 200) is killed by signal: Killed.");
    const auto parent = autopsy_of(deciding_death(story.evidence()));
    ASSERT_TRUE(parent->fatal_child);
    const Autopsy& child = *parent->fatal_child->death;
    EXPECT_EQ(child.pid, 200);
    EXPECT_TRUE(child.oom_kill);
    EXPECT_EQ(child.held, Bytes::mib(10));
    EXPECT_FALSE(child.fatal_child);
    EXPECT_TRUE(parent->fatal_child->named);
}

TEST(FatalChild, IsNotToBlameForAnExceptionAboutSomethingElse) {
    Story story = loses_a_worker();
    story.raises("KeyError", "'loss'");
    EXPECT_FALSE(autopsy_of(deciding_death(story.evidence()))->fatal_child);
}

TEST(FatalChild, IsNotToBlameIfTheParentWasAskedToStop) {
    Story story = loses_a_worker();
    story.raises("RuntimeError", "DataLoader worker (pid 200) is killed by signal: Killed.")
        .signal_seen(SIGTERM, 9s);
    EXPECT_FALSE(autopsy_of(deciding_death(story.evidence()))->fatal_child);
}

}  // namespace
}  // namespace holdfast
