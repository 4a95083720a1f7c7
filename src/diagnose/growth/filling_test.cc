#include "diagnose/growth/filling.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

constexpr Nanos minute = std::chrono::minutes(1);

// A program of 4 GiB at 3 GiB, of which one line keeps 1 MiB more with every step.
Evidence leaking() {
    AgentEvidence agent;
    agent.pid = 7;
    LeakEvidence& leak = agent.leak.emplace();
    leak.frames = {{"/home/ada/train.py", 9, "main"}, {"/home/ada/train.py", 42, "step"}};
    leak.growth.per_step = 1 << 20;
    leak.growth.per_step_error = 1 << 10;
    leak.growth.per_minute = static_cast<double>(Bytes::mib(500).count);
    leak.growth.in_all = Bytes::gib(2);
    leak.growth.windows = 16;
    Evidence evidence;
    evidence.agents = {agent};
    evidence.memory.limit = Bytes::gib(4);
    evidence.memory.curve = {{{}, Bytes::gib(3), Bytes::gib(4), Bytes::gib(1)}};
    return evidence;
}

LeakEvidence& leak_in(Evidence& evidence) { return *evidence.agents[0].leak; }
bool is_told(const Evidence& evidence, Nanos fills_in = 2 * minute) {
    return leak_that_fills(evidence, fills_in).has_value();
}

TEST(Filling, ACertainLeakThatFillsMemoryIsToldWithItsLine) {
    const auto leak = leak_that_fills(leaking(), 2 * minute);
    ASSERT_TRUE(leak);
    EXPECT_EQ(leak->line.file, "/home/ada/train.py");
    EXPECT_EQ(leak->line.line, 42);
    EXPECT_EQ(leak->each_step, Bytes::mib(1));
    EXPECT_EQ(notice_of(*leak),
              "holdfast: /home/ada/train.py:42 keeps 1 MiB more with every step: memory is full in "
              "about 2 min 00 s at this pace (holdfast explain host-leak)");
}

TEST(Filling, WhatKeepsItAndACellAreNamed) {
    Evidence evidence = leaking();
    KeeperEvidence keeper;
    keeper.name = "history";
    keeper.live = Bytes::gib(1);
    evidence.agents[0].keepers = {keeper};
    auto leak = leak_that_fills(evidence, 2 * minute);
    ASSERT_TRUE(leak);
    leak->line.file = "cell [3]";
    leak->in_cell = true;
    EXPECT_TRUE(notice_of(*leak).starts_with(
        "holdfast: cell [3], line 42 keeps 1 MiB more with every step, kept by `history`: "))
        << notice_of(*leak);
}

TEST(Filling, ABufferInARoomyMachineIsNotTold) {
    Evidence evidence = leaking();
    evidence.memory.curve.back().used = Bytes::gib(1);
    evidence.memory.curve.back().left = Bytes::gib(3);
    EXPECT_FALSE(is_told(evidence));
    evidence.memory.limit.reset();
    EXPECT_FALSE(is_told(evidence));
}

TEST(Filling, ALeakTooSmallToFillTheRestIsNotTold) {
    Evidence evidence = leaking();
    leak_in(evidence).growth.per_minute = static_cast<double>(Bytes::mib(100).count);
    EXPECT_FALSE(is_told(evidence));
    EXPECT_TRUE(is_told(evidence, 5 * minute));
}

TEST(Filling, GrowthByTimeAloneMayBeALoad) {
    Evidence evidence = leaking();
    leak_in(evidence).growth.per_step.reset();
    EXPECT_FALSE(is_told(evidence));
}

TEST(Filling, GrowthWithinItsErrorIsNotTold) {
    Evidence evidence = leaking();
    leak_in(evidence).growth.per_step_error = *leak_in(evidence).growth.per_step / 2;
    EXPECT_FALSE(is_told(evidence));
}

TEST(Filling, AThreadsLineAndALibrarysLineAreNotTold) {
    Evidence evidence = leaking();
    leak_in(evidence).borrowed = true;
    EXPECT_FALSE(is_told(evidence));
    evidence = leaking();
    leak_in(evidence).frames = {{"/usr/lib/python3.11/json/decoder.py", 42, "decode"}};
    EXPECT_FALSE(is_told(evidence));
}

TEST(Filling, AProcessThatHasEndedIsNotTold) {
    Evidence evidence = leaking();
    evidence.agents[0].ended = RunTime(1);
    EXPECT_FALSE(is_told(evidence));
}

TEST(Filling, OfTwoLeaksTheLargerIsTold) {
    Evidence evidence = leaking();
    evidence.agents.push_back(evidence.agents[0]);
    evidence.agents[1].leak->growth.in_all = Bytes::gib(3);
    evidence.agents[1].leak->frames.back().line = 50;
    const auto leak = leak_that_fills(evidence, 2 * minute);
    ASSERT_TRUE(leak);
    EXPECT_EQ(leak->line.line, 50);
}

}  // namespace
}  // namespace holdfast
