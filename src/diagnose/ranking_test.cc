// Which of several findings is the answer.
#include "diagnose/ranking.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

Finding finding(CauseId cause, Confidence confidence) {
    Finding made;
    made.cause = cause;
    made.confidence = confidence;
    return made;
}

TEST(Ranking, PutsTheSpecificBeforeTheGeneral) {
    const Ranked ranked = rank({finding("exception"_cause, Confidence::certain),
                                finding("disk-full"_cause, Confidence::likely)});
    EXPECT_EQ(ranked.root.cause, "disk-full"_cause);
    EXPECT_EQ(ranked.end.cause, "disk-full"_cause);
    EXPECT_FALSE(ranked.choice.none());
    ASSERT_EQ(ranked.rest.size(), 1U);
}

TEST(Ranking, DoesNotTellTwiceWhatACertainCauseExplains) {
    const Ranked ranked = rank({finding("exception"_cause, Confidence::certain),
                                finding("disk-full"_cause, Confidence::certain)});
    EXPECT_EQ(ranked.root.cause, "disk-full"_cause);
    EXPECT_TRUE(ranked.rest.empty());
}

TEST(Ranking, KeepsACertainEndBesideALikelyRoot) {
    const Ranked ranked = rank({finding("cgroup-oom"_cause, Confidence::certain),
                                finding("oom-victim"_cause, Confidence::likely)});
    EXPECT_EQ(ranked.end.cause, "cgroup-oom"_cause);
    EXPECT_EQ(ranked.root.cause, "oom-victim"_cause);
    EXPECT_TRUE(ranked.rest.empty());
}

TEST(Ranking, OfOneFindingNeedsNoChoice) {
    const Ranked ranked = rank({finding("killed"_cause, Confidence::certain)});
    EXPECT_TRUE(ranked.choice.none());
    EXPECT_TRUE(ranked.rest.empty());
}

TEST(Ranking, PrefersTheCertainAmongEquallySpecific) {
    const Ranked ranked = rank({finding("thread-limit"_cause, Confidence::likely),
                                finding("fd-limit"_cause, Confidence::certain)});
    EXPECT_EQ(ranked.root.cause, "fd-limit"_cause);
}

}  // namespace
}  // namespace holdfast
