// Native stacks as text, and the recursion within them.
#include "native/native_text.h"

#include <gtest/gtest.h>

#include "native/cycle.h"

namespace holdfast {
namespace {

NativeStack sample() {
    NativeStack stack;
    stack.frames = {{"libtorch_cpu.so", "at::native::add(at::Tensor const&)", 0x1f, "add.cpp", 31},
                    {"libplain.so", "", 0xfffffffffffffff0U, "", {}},
                    {"", "... (12000 more frames of these 3)", 0, "", {}}};
    stack.addresses = {0x7f00, 0, std::nullopt};
    stack.missing = {"native frames in x.so: the file is gone"};
    return stack;
}

TEST(NativeTextTest, WhatIsWrittenIsRead) {
    const NativeStack read = parse_native_text(native_text(sample(), 4096));
    ASSERT_EQ(read.frames.size(), 3U);
    EXPECT_EQ(read.frames[0].library, "libtorch_cpu.so");
    EXPECT_EQ(read.frames[0].symbol, "at::native::add(at::Tensor const&)");
    EXPECT_EQ(read.frames[0].offset, 0x1fU);
    EXPECT_EQ(read.frames[0].file, "add.cpp");
    EXPECT_EQ(read.frames[0].line, 31);
    EXPECT_EQ(read.frames[1].offset, 0xfffffffffffffff0U);
    EXPECT_FALSE(read.frames[1].line);
    EXPECT_EQ(read.frames[2].symbol, "... (12000 more frames of these 3)");
    EXPECT_EQ(read.addresses, sample().addresses);
    EXPECT_EQ(read.missing, sample().missing);
}

TEST(NativeTextTest, NeverCutsALineAndNeverExceedsItsRoom) {
    const std::string whole = native_text(sample(), 4096);
    for (std::size_t limit = 0; limit <= whole.size(); ++limit) {
        const std::string text = native_text(sample(), limit);
        EXPECT_LE(text.size(), limit);
        EXPECT_TRUE(text.empty() || text.back() == '\n');
    }
    EXPECT_EQ(native_text(sample(), whole.size()), whole);
}

TEST(NativeTextTest, NamesCannotBreakTheLine) {
    NativeStack stack;
    stack.frames = {{"lib\t.so", "a\nb\x1b[2J", 1, "x\ty", 2}};
    stack.addresses = {1};
    const NativeStack read = parse_native_text(native_text(stack, 4096));
    ASSERT_EQ(read.frames.size(), 1U);
    EXPECT_EQ(read.frames[0].library, "lib?.so");
    EXPECT_EQ(read.frames[0].symbol, "a?b");
    EXPECT_EQ(read.frames[0].file, "x?y");
}

TEST(NativeTextTest, LongNamesAreCut) {
    NativeStack stack;
    stack.frames.resize(
        64, {"libtorch_cpu.so", std::string(50'000, 'x'), 1, std::string(9'000, 'y'), 2});
    stack.addresses.resize(64, 0x7fffffffffff);
    constexpr std::size_t room = 24U << 10U;
    const NativeStack read = parse_native_text(native_text(stack, room));
    EXPECT_GE(read.frames.size(), 50U);
    EXPECT_TRUE(read.frames[0].symbol.ends_with("..."));
    EXPECT_EQ(read.frames[0].line, 2);
}

TEST(NativeTextTest, LinesThatMakeNoSenseAreLeftOut) {
    EXPECT_TRUE(parse_native_text("").frames.empty());
    EXPECT_TRUE(parse_native_text("zz\ta\tb\t0\t\n1\ta\tb\n1\ta\tb\tq\t\n\n").frames.empty());
    const NativeStack read = parse_native_text("1\ta\tb\t0\tfile:-3\n");
    ASSERT_EQ(read.frames.size(), 1U);
    EXPECT_FALSE(read.frames[0].line);
}

std::optional<FrameCycle> cycle_of(const std::vector<std::uint64_t>& pcs) {
    return find_cycle(pcs);
}

TEST(NativeCycleTest, FindsTheShortestRoundBetweenWhatDoesNotRepeat) {
    std::vector<std::uint64_t> pcs{100, 101};
    for (int i = 0; i < 30; ++i) pcs.insert(pcs.end(), {1, 2, 3});
    pcs.insert(pcs.end(), {200, 201, 202});
    const auto cycle = cycle_of(pcs);
    ASSERT_TRUE(cycle);
    EXPECT_EQ(cycle->begin, 2U);
    EXPECT_EQ(cycle->period, 3U);
    EXPECT_EQ(cycle->end, 92U);
}

TEST(NativeCycleTest, ARoundMayMeetAPlaceTwice) {
    std::vector<std::uint64_t> pcs;
    for (int i = 0; i < 10; ++i) pcs.insert(pcs.end(), {1, 2, 1, 3});
    const auto cycle = cycle_of(pcs);
    ASSERT_TRUE(cycle);
    EXPECT_EQ(cycle->period, 4U);
    EXPECT_EQ(cycle->end, pcs.size());
}

TEST(NativeCycleTest, AnOrdinaryStackHasNone) {
    EXPECT_FALSE(cycle_of({}));
    EXPECT_FALSE(cycle_of({1, 1, 1}));
    std::vector<std::uint64_t> pcs;
    for (std::uint64_t i = 0; i < 200; ++i) pcs.push_back(i * i % 1009);
    EXPECT_FALSE(cycle_of(pcs));
}

}  // namespace
}  // namespace holdfast
