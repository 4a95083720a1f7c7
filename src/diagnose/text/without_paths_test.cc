#include <gtest/gtest.h>

#include "diagnose/text/last_text.h"

namespace holdfast {
namespace {

TEST(WithoutPaths, DropsQuotedPathsWithTheirSpaces) {
    EXPECT_EQ(without_paths("No space left: '/data/my inotify/m.pt' (28)"), "No space left:  (28)");
    EXPECT_EQ(without_paths("cannot open \"C/cuda x\""), "cannot open ");
}

TEST(WithoutPaths, DropsWordsWithASlash) {
    EXPECT_EQ(without_paths("/opt/cuda/lib.so failed"), " failed");
    EXPECT_EQ(without_paths("read a/b c"), "read c");
}

TEST(WithoutPaths, KeepsEverythingElse) {
    EXPECT_EQ(without_paths("can't read 'model' of \"CUDA\""), "can't read 'model' of \"CUDA\"");
    EXPECT_EQ(without_paths("an open ' quote"), "an open ' quote");
    EXPECT_EQ(without_paths(""), "");
}

}  // namespace
}  // namespace holdfast
