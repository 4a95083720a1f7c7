#include "evidence/filling_line.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(FillingLine, IsTheOnlyOneThatPutsSomethingIn) {
    EXPECT_EQ(filling_line("history = []\nfor x in data:\n    history.append(x)\n", "history"), 3);
    EXPECT_EQ(
        filling_line("def f(self):\n    self.log[\"loss\"].append(1)\n", "self.log[\"loss\"]"), 2);
    EXPECT_EQ(filling_line("cache = {}\ncache[key] = value\n", "cache"), 2);
    EXPECT_EQ(filling_line("all = pd.concat([all, part])\n", "all"), 1);
    EXPECT_EQ(filling_line("total += part\n", "total"), 1);
}

TEST(FillingLine, IsNotToldWhereSeveralDoOrNone) {
    EXPECT_FALSE(filling_line("a.append(1)\na.append(2)\n", "a"));
    EXPECT_FALSE(filling_line("history = []\nprint(history)\n", "history"));
    EXPECT_FALSE(filling_line("if cache[key] == 1: pass\n", "cache"));
    EXPECT_FALSE(filling_line("my_history.append(1)\nhistory2.append(1)\n", "history"));
    EXPECT_FALSE(filling_line("x = 1  # history.append(x)\n", "history"));
    EXPECT_FALSE(filling_line("", ""));
}

}  // namespace
}  // namespace holdfast
