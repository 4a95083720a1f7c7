#include "fit/workspace/workspaces.h"

#include <gtest/gtest.h>

namespace holdfast::fit {
namespace {

using Values = std::vector<std::int64_t>;

// 3x3 over 64 channels at 56x56.
Values conv(std::int64_t direction, std::int64_t batch, std::int64_t channels = 64) {
    return {direction, 0,  0, 0, 1, 2, batch, channels, channels, 56, 56,
            56,        56, 3, 3, 1, 1, 1,     1,        1,        1};
}

std::uint64_t only(const Workspace& workspace) {
    return workspace.sizes.size() == 1 ? workspace.sizes[0].count : 0;
}

TEST(Workspaces, WithoutAMeasurementARuleStandsIn) {
    const Workspaces workspaces(*find_device("H200"), {});
    const Workspace forward = workspaces.of(Fact::conv, conv(0, 16));
    EXPECT_EQ(forward.grade, Grade::rule);
    EXPECT_EQ(only(forward), 4U * (16 * 64 * 56 * 56 + 64 * 64 * 9));
}

TEST(Workspaces, AMeasuredCallIsTakenAsItIs) {
    const auto table = WorkspaceTable::parse(
        "gpu X\ncontext 5\nconv 0 0 0 0 1 2 16 64 64 56 56 56 56 3 3 1 1 1 1 1 1 = 777\n");
    ASSERT_TRUE(table) << table.error().text;
    EXPECT_EQ(table->context, Bytes{5});
    const Workspaces workspaces(*find_device("H200"), *table);
    const Workspace forward = workspaces.of(Fact::conv, conv(0, 16));
    EXPECT_EQ(forward.grade, Grade::measured);
    EXPECT_EQ(only(forward), 777U);
}

TEST(Workspaces, AnotherBatchHoldsCopiesOfTheSameOperands) {
    const std::uint64_t input = 4U * 16 * 64 * 56 * 56;
    const std::uint64_t weight = 4U * 64 * 64 * 9;
    const auto table =
        WorkspaceTable::parse("conv 1 0 0 0 1 2 16 64 64 56 56 56 56 3 3 1 1 1 1 1 1 = " +
                              std::to_string(2 * input + weight + 128) + "\n");
    ASSERT_TRUE(table);
    const Workspaces workspaces(*find_device("H200"), *table);
    const Workspace backward = workspaces.of(Fact::conv, conv(1, 64));
    EXPECT_EQ(backward.grade, Grade::between);
    EXPECT_EQ(only(backward), 8 * input + weight + 128);
    const Workspace wider = workspaces.of(Fact::conv, conv(1, 16, 128));
    EXPECT_EQ(wider.grade, Grade::nearest);
    EXPECT_EQ(only(wider), 4 * input + 4 * weight + 128);
}

std::string measured(std::int64_t dtype, std::int64_t batch, std::uint64_t bytes) {
    return "conv 0 " + std::to_string(dtype) + " 0 0 1 2 " + std::to_string(batch) +
           " 64 64 56 56 56 56 3 3 1 1 1 1 1 1 = " + std::to_string(bytes) + "\n";
}

TEST(Workspaces, BetweenTwoBatchesThatAgreeItLiesOnTheirLine) {
    const std::uint64_t input = 4U * 64 * 56 * 56;
    const auto table = WorkspaceTable::parse(measured(0, 32, 32 * input + 1000) +
                                             measured(0, 64, 64 * input + 3000));
    ASSERT_TRUE(table);
    const Workspaces workspaces(*find_device("H200"), *table);
    const Workspace between = workspaces.of(Fact::conv, conv(0, 48));
    EXPECT_EQ(between.grade, Grade::between);
    EXPECT_EQ(only(between), 48 * input + 2000);
}

TEST(Workspaces, BetweenTwoBatchesThatDisagreeTheLargerIsBelieved) {
    const std::uint64_t input = 4U * 64 * 56 * 56;
    const auto table = WorkspaceTable::parse(measured(0, 32, 32 * input) + measured(0, 64, 0));
    ASSERT_TRUE(table);
    const Workspaces workspaces(*find_device("H200"), *table);
    const Workspace between = workspaces.of(Fact::conv, conv(0, 48));
    EXPECT_EQ(between.grade, Grade::nearest);
    EXPECT_EQ(only(between), 0U);
}

TEST(Workspaces, TheHalfTypesStandInForEachOther) {
    const auto table = WorkspaceTable::parse(measured(1, 8, 1) + measured(2, 16, 777));
    ASSERT_TRUE(table);
    const Workspaces workspaces(*find_device("H200"), *table);
    Values call = conv(0, 16);
    call[1] = 1;
    EXPECT_EQ(only(workspaces.of(Fact::conv, call)), 777U);
}

TEST(Workspaces, ARecurrentLayerIsScaledFromTheMostAlikeOne) {
    // Measured values of an LSTM of size 200; the second line is bidirectional.
    const auto table = WorkspaceTable::parse(
        "rnn_work 0 2 0 8 128 200 200 1 1 = 14654528\n"
        "rnn_work 0 2 0 16 128 200 200 1 2 = 5\n");
    ASSERT_TRUE(table);
    const Workspaces workspaces(*find_device("H200"), *table);
    const std::uint64_t smaller =
        only(workspaces.of(Fact::rnn_work, Values{0, 2, 0, 8, 128, 200, 198, 1, 1}));
    EXPECT_GT(smaller, 14000000U);
    EXPECT_LT(smaller, 14654528U);
    const std::uint64_t longer =
        only(workspaces.of(Fact::rnn_work, Values{0, 2, 0, 8, 256, 200, 200, 1, 1}));
    EXPECT_GT(longer, 19000000U);
    EXPECT_LT(longer, 20500000U);
}

TEST(Workspaces, ARecurrentLayerAtAnotherBatchAndLengthLiesOnThePlaneOfItsSamples) {
    // Measured on an H200; the other two layers are of different kinds.
    const auto table = WorkspaceTable::parse(
        "rnn_work 0 3 0 8 128 512 1024 2 1 = 80019776\n"
        "rnn_work 0 3 0 32 64 512 1024 2 1 = 99877376\n"
        "rnn_work 0 3 0 64 256 512 1024 2 1 = 365429504\n"
        "rnn_work 0 3 0 64 128 512 512 2 1 = 117703424\n"
        "rnn_work 0 3 1 64 128 512 1024 2 1 = 115606272\n");
    ASSERT_TRUE(table);
    const Workspaces workspaces(*find_device("H200"), *table);
    const std::uint64_t between =
        only(workspaces.of(Fact::rnn_work, Values{0, 3, 0, 64, 128, 512, 1024, 2, 1}));
    EXPECT_NEAR(static_cast<double>(between), 214434560.0, 1000.0);
}

TEST(Workspaces, WhatARecurrentLayerKeepsForBackwardIsAsMeasured) {
    const Workspaces workspaces(*find_device("H200"), WorkspaceTable{});
    EXPECT_EQ(only(workspaces.of(Fact::rnn_reserve, Values{3, 0, 64, 128, 512, 1024, 2, 1})),
              436207872U);
    EXPECT_EQ(only(workspaces.of(Fact::rnn_reserve, Values{1, 0, 16, 128, 1024, 1024, 1, 2})),
              16777472U);
}

TEST(Workspaces, PointsInARowLeaveThePlaneOpen) {
    const std::vector<RecurrentSample> row{{8, 128, 100}, {16, 128, 200}, {32, 128, 400}};
    EXPECT_FALSE(on_plane(row, 64, 128));
    EXPECT_FALSE(on_plane(std::span(row).first(2), 64, 128));
    EXPECT_FALSE(on_plane({}, 64, 128));
}

std::string whole_line(const std::string& sizes) {
    return "conv 0 0 0 0 1 2 0 64 64 56 56 56 56 3 3 1 1 1 1 1 1 = " + sizes + "\n";
}

TEST(Workspaces, OneLineMayTellAllBatchesAndTheLastWordCounts) {
    const auto table =
        WorkspaceTable::parse(whole_line("4:400 16:1600") + whole_line("16:1700 64:6400"));
    ASSERT_TRUE(table);
    EXPECT_EQ(table->size(), 3U);
    const Workspaces workspaces(*find_device("H200"), *table);
    EXPECT_EQ(only(workspaces.of(Fact::conv, conv(0, 4))), 400U);
    EXPECT_EQ(only(workspaces.of(Fact::conv, conv(0, 16))), 1700U);
    EXPECT_EQ(only(workspaces.of(Fact::conv, conv(0, 64))), 6400U);
}

TEST(Workspaces, ATableThatIsNoneIsRefused) {
    EXPECT_FALSE(WorkspaceTable::parse("conv 1 2 3\n"));
    EXPECT_FALSE(WorkspaceTable::parse("conv 1 2 3 = 4\n"));
    EXPECT_FALSE(WorkspaceTable::parse("rnn_work 1 x = 4\n"));
    EXPECT_FALSE(WorkspaceTable::parse("conv 1 2 = 4:5\n"));
    EXPECT_FALSE(WorkspaceTable::parse(whole_line("4:5 6")));
    EXPECT_FALSE(WorkspaceTable::parse(whole_line("4:x")));
    EXPECT_FALSE(WorkspaceTable::parse(whole_line(":5")));
    EXPECT_TRUE(WorkspaceTable::parse("something new 1 2 = 3\n# comment\n"));
}

TEST(ReduceScratch, OnlyAReductionThatIsSplitTakesAny) {
    const DeviceProfile device = *find_device("H200");
    const auto sum_rows = [&](std::int64_t rows, std::int64_t columns) {
        return reduce_scratch(Values{4, 4, rows, columns, 1, columns, 1, 0}, device);
    };
    EXPECT_TRUE(sum_rows(64, 100000).empty());
    const auto split = sum_rows(4096, 5000);
    ASSERT_EQ(split.size(), 2U);
    EXPECT_GT(split[0], Bytes::mib(1));
}

TEST(ReduceScratch, FewerMultiprocessorsSplitLess) {
    const Values values{4, 4, 65536, 512, 1, 512, 1, 0};
    const auto large = reduce_scratch(values, *find_device("H200"));
    const auto small = reduce_scratch(values, *find_device("RTX 3060"));
    ASSERT_FALSE(large.empty());
    ASSERT_FALSE(small.empty());
    EXPECT_GT(large[0], small[0]);
}

TEST(Devices, AreFoundHoweverTheyAreWritten) {
    for (const char* name : {"RTX 4090", "rtx4090", "NVIDIA GeForce RTX 4090", "4090"}) {
        const auto device = find_device(name);
        ASSERT_TRUE(device) << name;
        EXPECT_EQ(device->name, "RTX 4090");
    }
    EXPECT_FALSE(find_device("abacus"));
}

}  // namespace
}  // namespace holdfast::fit
