#include "present/display_width.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast {
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
