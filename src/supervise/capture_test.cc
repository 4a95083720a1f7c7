#include "supervise/capture.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

StreamFacts stream(ino_t inode) {
    StreamFacts facts;
    facts.open = true;
    facts.inode = inode;
    return facts;
}

TEST(Capture, OnePipeForBothKeepsTheOrderOfLines) {
    EXPECT_EQ(plan_capture(stream(7), stream(7)), Capture::relay_both);
    EXPECT_EQ(plan_capture(stream(7), stream(8)), Capture::relay_stderr);
}

TEST(Capture, ATerminalStaysATerminal) {
    StreamFacts terminal = stream(7);
    terminal.terminal = true;
    EXPECT_EQ(plan_capture(terminal, terminal), Capture::terminal);
    EXPECT_EQ(plan_capture(stream(9), terminal), Capture::terminal);
    EXPECT_EQ(plan_capture(terminal, stream(9)), Capture::relay_stderr);
}

TEST(Capture, AFileIsReadAfterwardsNotRelayed) {
    StreamFacts file = stream(7);
    file.regular_file = true;
    EXPECT_EQ(plan_capture(file, file), Capture::read_file);
    EXPECT_EQ(plan_capture(stream(8), file), Capture::read_file);
}

TEST(Capture, WhatIsThrownAwayStaysThrownAway) {
    StreamFacts null = stream(7);
    null.discards = true;
    EXPECT_EQ(plan_capture(null, null), Capture::none);
    EXPECT_EQ(plan_capture(stream(8), null), Capture::none);
}

TEST(Capture, AClosedStderrStaysClosed) {
    EXPECT_EQ(plan_capture(stream(7), StreamFacts{}), Capture::none);
}

}  // namespace
}  // namespace holdfast
