#include "base/text.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(Text, WordsAndLines) {
    std::string_view rest = "  a\tbc  d\n";
    EXPECT_EQ(next_word(rest), "a");
    EXPECT_EQ(next_word(rest), "bc");
    EXPECT_EQ(next_word(rest), "d");
    EXPECT_EQ(next_word(rest), std::nullopt);
    EXPECT_EQ(split("a::b", ':'), (std::vector<std::string_view>{"a", "", "b"}));
}

TEST(Text, ANumberIsAllNumber) {
    EXPECT_EQ(parse_number<int>("42"), 42);
    EXPECT_EQ(parse_number<int>("42 kB"), std::nullopt);
    EXPECT_EQ(parse_number<int>(""), std::nullopt);
    EXPECT_EQ(parse_number<std::uint8_t>("300"), std::nullopt);
    EXPECT_EQ(parse_number<std::uint64_t>("-1"), std::nullopt);
    EXPECT_EQ(parse_number<unsigned>("ff", 16), 255U);
}

TEST(Text, PrintableKeepsUnicodeAndDropsWhatMovesTheCursor) {
    EXPECT_EQ(printable("größe 速\n\tok"), "größe 速\n\tok");
    EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "red");
    EXPECT_EQ(printable(std::string_view("a\0b\x7f", 4)), "a?b?");
    EXPECT_EQ(printable("\xff\xfe"), "??");
    EXPECT_EQ(printable("\xed\xa0\x80"), "???");  // a surrogate is not UTF-8
    EXPECT_EQ(printable("\x1b["), "");
}

}  // namespace
}  // namespace holdfast
