#include "fit/replay/allocator.h"

#include <gtest/gtest.h>

namespace holdfast::fit {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

CachingAllocator allocator(const AllocatorOptions& options = {},
                           std::optional<Bytes> limit = std::nullopt) {
    return {options, limit, 64};
}

TEST(CachingAllocator, RoundsRequestsUpTo512Bytes) {
    auto a = allocator();
    a.allocate(0, Bytes{1});
    a.allocate(1, Bytes{513});
    EXPECT_EQ(a.stats().allocated.count, 512U + 1024U);
    EXPECT_EQ(a.stats().requested.count, 514U);
}

TEST(CachingAllocator, SegmentsAreTwoTwentyOrWhatIsAskedFor) {
    auto a = allocator();
    a.allocate(0, Bytes{1 * mib});  // small pool
    EXPECT_EQ(a.stats().reserved.count, 2 * mib);
    a.allocate(1, Bytes{1 * mib + 1});  // large pool
    EXPECT_EQ(a.stats().reserved.count, 22 * mib);
    a.allocate(2, Bytes{30 * mib + 1});
    EXPECT_EQ(a.stats().reserved.count, 54 * mib);
}

TEST(CachingAllocator, ALargeBlockKeepsARemainderOfUpToOneMiB) {
    auto a = allocator();
    a.allocate(0, Bytes{11 * mib});  // a segment of 12 MiB, not split
    EXPECT_EQ(a.stats().allocated.count, 12 * mib);
    a.free(0);
    a.allocate(0, Bytes{10 * mib});  // two are left, so it is split
    EXPECT_EQ(a.stats().allocated.count, 10 * mib);
    EXPECT_EQ(a.stats().reserved.count, 12 * mib);
}

TEST(CachingAllocator, TakesTheSmallestCachedBlockThatIsEnough) {
    auto a = allocator();
    a.allocate(0, Bytes{40 * mib});
    a.allocate(1, Bytes{20 * mib});
    a.free(0);
    a.free(1);
    a.allocate(2, Bytes{20 * mib});
    a.allocate(3, Bytes{40 * mib});
    EXPECT_EQ(a.stats().reserved.count, 60 * mib);
}

TEST(CachingAllocator, FreedNeighboursBecomeOneBlockAgain) {
    auto a = allocator();
    for (std::uint32_t i = 0; i < 4; ++i) a.allocate(i, Bytes{5 * mib});
    EXPECT_EQ(a.stats().reserved.count, 20 * mib);
    for (std::uint32_t i : {1U, 3U, 2U, 0U}) a.free(i);
    a.allocate(0, Bytes{20 * mib});
    EXPECT_EQ(a.stats().reserved.count, 20 * mib);
}

TEST(CachingAllocator, GivesCachedSegmentsBackBeforeItGivesUp) {
    auto a = allocator({}, Bytes{40 * mib});
    EXPECT_TRUE(a.allocate(0, Bytes{30 * mib}));
    a.free(0);
    EXPECT_TRUE(a.allocate(1, Bytes{36 * mib}));
    EXPECT_EQ(a.stats().retries, 1U);
    EXPECT_EQ(a.stats().reserved.count, 36 * mib);
    EXPECT_FALSE(a.allocate(2, Bytes{6 * mib}));
}

TEST(CachingAllocator, ASplitSegmentCannotBeGivenBack) {
    auto a = allocator({}, Bytes{40 * mib});
    a.allocate(0, Bytes{30 * mib});
    a.free(0);
    a.allocate(1, Bytes{12 * mib});
    EXPECT_FALSE(a.allocate(2, Bytes{20 * mib}));
}

TEST(CachingAllocator, ExpandableSegmentsGrowInPlace) {
    AllocatorOptions options;
    options.expandable_segments = true;
    auto a = allocator(options);
    a.allocate(0, Bytes{30 * mib});
    EXPECT_EQ(a.stats().reserved.count, 40 * mib);  // whole granules of 20 MiB
    a.free(0);
    a.allocate(1, Bytes{50 * mib});  // the same place, longer
    EXPECT_EQ(a.stats().reserved.count, 60 * mib);
}

TEST(CachingAllocator, ExpandableSegmentsGiveBackWholeGranules) {
    AllocatorOptions options;
    options.expandable_segments = true;
    auto a = allocator(options, Bytes{100 * mib});
    a.allocate(0, Bytes{60 * mib});
    a.allocate(1, Bytes{30 * mib});
    a.free(0);
    EXPECT_TRUE(a.allocate(2, Bytes{55 * mib}));
    a.free(2);
    EXPECT_FALSE(a.allocate(3, Bytes{80 * mib}));    // 30 are in the way
    EXPECT_EQ(a.stats().reserved, Bytes{40 * mib});  // but cached memory is released
    a.free(1);
    EXPECT_TRUE(a.allocate(4, Bytes{80 * mib}));
}

TEST(CachingAllocator, BlocksAboveTheSplitLimitAreKeptWhole) {
    AllocatorOptions options;
    options.max_split_size = Bytes{64 * mib};
    auto a = allocator(options);
    a.allocate(0, Bytes{100 * mib});
    a.free(0);
    a.allocate(1, Bytes{30 * mib});  // without this it would be split
    EXPECT_EQ(a.stats().reserved.count, 130 * mib);
    a.allocate(2, Bytes{90 * mib});  // close enough in size: gets the whole block
    EXPECT_EQ(a.stats().reserved.count, 130 * mib);
    EXPECT_EQ(a.stats().allocated.count, 130 * mib);
}

TEST(CachingAllocator, CanRoundToDivisionsOfAPowerOfTwo) {
    const auto options = parse_allocator_options("roundup_power2_divisions:4");
    ASSERT_TRUE(options);
    auto a = allocator(*options);
    a.allocate(0, Bytes{1200 * 1024});  // between 1 and 2 MiB in steps of a quarter
    EXPECT_EQ(a.stats().allocated.count, 1280U * 1024U);
}

TEST(AllocatorOptions, ReadsWhatTorchReads) {
    const auto options = parse_allocator_options(
        "max_split_size_mb:128, expandable_segments:True,garbage_collection_threshold:0.8,"
        "roundup_power2_divisions:[256:1,512:2,>:8],pinned_use_background_threads:True");
    ASSERT_TRUE(options);
    EXPECT_EQ(options->max_split_size, Bytes::mib(128));
    EXPECT_TRUE(options->expandable_segments);
    EXPECT_EQ(options->roundup_divisions[8], 1U);
    EXPECT_EQ(options->roundup_divisions[9], 2U);
    EXPECT_EQ(options->roundup_divisions[12], 8U);
}

TEST(AllocatorOptions, RefusesWhatTorchRefuses) {
    EXPECT_FALSE(parse_allocator_options("expandable_segments:yes"));
    EXPECT_FALSE(parse_allocator_options("max_split_size_mb:10"));
    EXPECT_FALSE(parse_allocator_options("garbage_collection_threshold:1.5"));
    EXPECT_FALSE(parse_allocator_options("roundup_power2_divisions:3"));
    EXPECT_FALSE(parse_allocator_options("nonsense"));
}

}  // namespace
}  // namespace holdfast::fit
