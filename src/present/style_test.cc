#include "present/style.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/unique_fd.h"

namespace holdfast {
namespace {

TEST(Style, ColourOnlyOnATerminalThatWantsIt) {
    EXPECT_TRUE(choose_style(true, 80, {"", "xterm", "", "", ""}).colour);
    EXPECT_FALSE(choose_style(false, 80, {"", "xterm", "", "", ""}).colour);
    EXPECT_FALSE(choose_style(true, 80, {"1", "xterm", "", "", ""}).colour);
    EXPECT_FALSE(choose_style(true, 80, {"", "dumb", "", "", ""}).colour);
}

TEST(Style, TheFirstLocaleVariableThatIsSetDecidesTheCharacters) {
    EXPECT_TRUE(choose_style(true, 80, {"", "", "", "", "en_US.UTF-8"}).unicode);
    EXPECT_TRUE(choose_style(true, 80, {"", "", "", "C.utf8", "C"}).unicode);
    EXPECT_FALSE(choose_style(true, 80, {"", "", "C", "", "en_US.UTF-8"}).unicode);
    EXPECT_FALSE(choose_style(true, 80, {"", "", "", "", "POSIX"}).unicode);
    EXPECT_TRUE(choose_style(true, 80, {}).unicode);
}

TEST(Style, WidthStaysReadable) {
    EXPECT_EQ(choose_style(true, 20, {}).width, 40);
    EXPECT_EQ(choose_style(true, 72, {}).width, 72);
    EXPECT_EQ(choose_style(true, 300, {}).width, 100);
    EXPECT_EQ(choose_style(true, 0, {}).width, 80);
    EXPECT_EQ(choose_style(true, std::nullopt, {}).width, 80);
}

TEST(Style, AFileGetsPlainEightyColumns) {
    const UniqueFd file(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    const Style style = style_for(file.get(), {"", "xterm", "C.UTF-8", "", ""});
    EXPECT_EQ(style.width, 80);
    EXPECT_FALSE(style.colour);
    EXPECT_TRUE(style.unicode);
}

}  // namespace
}  // namespace holdfast
