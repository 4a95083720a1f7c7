#include "present/wrap.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast {
namespace {

using Lines = std::vector<std::string>;

TEST(Wrap, BreaksAtBlanksWithAHangingIndent) {
    EXPECT_EQ(wrap("one two three four", 10, {"- ", "  "}),
              (Lines{"- one two", "  three", "  four"}));
    EXPECT_EQ(wrap("  a \n b  ", 10), (Lines{"a b"}));
    EXPECT_EQ(wrap("", 10), Lines{});
}

TEST(Wrap, AWordIsBrokenOnlyWhenNoLineCouldHoldIt) {
    EXPECT_EQ(wrap("a bcdefghij", 10), (Lines{"a", "bcdefghij"}));
    EXPECT_EQ(wrap("a bcdefghijkl", 10), (Lines{"a", "bcdefghijk", "l"}));
}

TEST(Wrap, ALongPathIsBrokenAfterASlash) {
    EXPECT_EQ(wrap("/home/user/project/train.py", 14),
              (Lines{"/home/user/", "project/", "train.py"}));
}

TEST(Wrap, NeverSplitsACharacterOrItsMarks) {
    EXPECT_EQ(wrap("速速速", 5), (Lines{"速速", "速"}));
    EXPECT_EQ(wrap("abe\xcc\x81"
                   "d",
                   3),
              (Lines{"abe\xcc\x81", "d"}));
    EXPECT_EQ(wrap("速", 1), (Lines{"速"}));  // cannot fit, but must end
}

TEST(Wrap, ColourTakesNoRoom) {
    EXPECT_EQ(wrap("\x1b[33mabc\x1b[0m def", 7), (Lines{"\x1b[33mabc\x1b[0m def"}));
}

TEST(WrapCode, KeepsBlanksWhereTheLineFits) {
    EXPECT_EQ(wrap_code("  run    # why", 20, 2), (Lines{"    run    # why"}));
    EXPECT_EQ(wrap_code("  run --with options", 16, 0), (Lines{"  run --with", "    options"}));
}

TEST(Shorten, CutsAtTheEndOrTheFront) {
    EXPECT_EQ(shorten("abcdef", 6, {}), "abcdef");
    EXPECT_EQ(shorten("abcdefg", 6, {}), "abcde…");
    EXPECT_EQ(shorten("abcdefg", 6, {80, false, false}), "abc...");
    EXPECT_EQ(shorten("速速速速", 6, {}), "速速…");
    EXPECT_EQ(shorten_front("/a/long/path.py", 8, {}), "…path.py");
    EXPECT_EQ(shorten_front("xe\xcc\x81yz", 3, {}), "…yz");
}

TEST(SafeText, LosesWhatMovesTheCursorOrReordersTheLine) {
    EXPECT_EQ(safe_text("a\x1b[2Jb\tc\xff", {}), "ab    c?");
    EXPECT_EQ(safe_text("\xe2\x80\xaetxt.exe", {}), "txt.exe");
    EXPECT_EQ(safe_line(" a\nb ", {}), "a b");
}

TEST(SafeText, IsAsciiWhereTheTerminalIs) {
    EXPECT_EQ(safe_text("größe → 速 … “x”", {80, false, false}), "gr??e -> ? ... \"x\"");
}

}  // namespace

namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
    EXPECT_EQ(display_width("größe"), 5);
    EXPECT_EQ(display_width("速度"), 4);
    EXPECT_EQ(display_width("e\xcc\x81"), 1);  // e and a combining accent
    EXPECT_EQ(display_width("🔥"), 2);
    EXPECT_EQ(display_width("━▁█·…"), 5);
}

TEST(DisplayWidth, ColourTakesNoRoom) {
    EXPECT_EQ(display_width("\x1b[1;31mred\x1b[0m"), 3);
    EXPECT_EQ(colour_length("\x1b[0m"), 4U);
    EXPECT_EQ(colour_length("\x1b[2J"), 0U);
}

TEST(DisplayWidth, ABrokenSequenceIsOneCharacterAByte) {
    std::string_view rest = "\xe2\x94x";
    EXPECT_EQ(next_code_point(rest), U'\ufffd');
    EXPECT_EQ(next_code_point(rest), U'\ufffd');
    EXPECT_EQ(next_code_point(rest), U'x');
    EXPECT_TRUE(rest.empty());
}

}  // namespace

}  // namespace holdfast
