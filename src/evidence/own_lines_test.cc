#include "evidence/own_lines.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(OwnLines, ALineOfOursIsLeftOut) {
    EXPECT_EQ(without_own_lines("holdfast: guard: refused 32 MiB at train.py:4\nMemoryError\n"),
              "MemoryError\n");
    EXPECT_EQ(without_own_lines("a\nholdfast: exited with status 3 (HF907 exit-called)\n"), "a\n");
    EXPECT_EQ(without_own_lines("using holdfast: yes\n"), "using holdfast: yes\n");
}

TEST(OwnLines, ANoticeIsLeftOutWhole) {
    EXPECT_EQ(without_own_lines("a\nholdfast: not moving for 20 s. It waits (HF706 x)\n"
                                "  MainThread waits at train.py:3\n"
                                "  more: holdfast why 2026; what to do: holdfast explain HF706\n"
                                "b\n  c\n"),
              "a\nb\n  c\n");
}

TEST(OwnLines, APanelIsLeftOutWithTheLineBeforeIt) {
    const std::string panel =
        "\n━━ HOLDFAST ━━━━━━━━━━━ HF101 cgroup-oom · certain ━━\n\n"
        "  CUDA error: device-side assert triggered\n\n"
        "  holdfast why 20261115 · holdfast explain HF101\n";
    EXPECT_EQ(without_own_lines("words\n" + panel + "next run\n"), "words\nnext run\n");
    EXPECT_EQ(without_own_lines("words\n\n" + panel), "words\n\n");
    EXPECT_EQ(without_own_lines("== HOLDFAST ===== HF101 ==\n  cut off"), "");
}

TEST(OwnLines, EverythingElseStays) {
    for (const char* text : {"", "\n", "\n\n", "no newline", "a\n\nb\n", "  more: of this\n"})
        EXPECT_EQ(without_own_lines(text), text);
}

}  // namespace
}  // namespace holdfast
