// HF109, by its sender or by a mark on the cgroup.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

TEST(UserspaceOom, IsNamedByTheSender) {
    const Verdict v = Story()
                          .dies_by(SIGTERM)
                          .signal_seen(SIGTERM, 9900ms, 5, "/usr/bin/earlyoom -r 60")
                          .verdict();
    EXPECT_EQ(root_of(v), "userspace-oom");
    EXPECT_TRUE(certain(v));
}

TEST(UserspaceOom, ByAMarkOnTheCgroupIsLikely) {
    Story story;
    story.dies_by(SIGKILL).evidence().cgroups[0].userspace_oom_mark = "1";
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "userspace-oom");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

}  // namespace
}  // namespace holdfast::testing
