// SIGBUS: a lost page, broken memory, or a full disk.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/crash_story.h"

namespace holdfast::testing {
namespace {

TEST(BusError, OfALostPageIsLikelyAndOfBrokenMemoryCertain) {
    const Verdict lost = crashed(SIGBUS, 2);
    EXPECT_EQ(root_of(lost), "mapped-file-gone");
    EXPECT_EQ(lost.root.confidence, Confidence::likely);
    const Verdict broken = crashed(SIGBUS, 4);
    EXPECT_EQ(root_of(broken), "ram-errors");
    EXPECT_TRUE(certain(broken));
}

TEST(BusError, IsCertainWhereTheMappedFileLiesOnTheFullDisk) {
    Story story;
    story.dies_by(SIGBUS).disk("/data", Bytes::gib(10), Bytes::kib(4));
    story.crash(SIGBUS, 2).mapped_file = "/data/features.npy";
    EXPECT_EQ(root_of(story.verdict()), "disk-full-mapping");
    EXPECT_TRUE(certain(story.verdict()));
    story.evidence().crashes[0].mapped_file = "/home/features.npy";
    EXPECT_EQ(root_of(story.verdict()), "mapped-file-gone");
}

TEST(BusError, OnAFullDiskIsAttributedToIt) {
    const Verdict v =
        Story().dies_by(SIGBUS).disk("/data", Bytes::gib(10), Bytes::kib(4)).verdict();
    EXPECT_EQ(root_of(v), "disk-full-mapping");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

}  // namespace
}  // namespace holdfast::testing
