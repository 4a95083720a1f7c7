// Last lines, Python dumps, the user's own code, figures in words, and ranking.
#include "diagnose/words/phrases.h"

#include <gtest/gtest.h>

#include "diagnose/text/last_text.h"
#include "diagnose/text/python_dump.h"

namespace holdfast {
namespace {

TEST(LastLines, SkipBlankOnesAndKeepTheirOrder) {
    const auto lines = last_lines("a\n\nb\nc\n\n", 2);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], "b");
    EXPECT_EQ(lines[1], "c");
    EXPECT_TRUE(last_lines("", 3).empty());
}

TEST(Shortened, CutsBetweenCharacters) {
    std::string text(159, 'a');
    text += "\xc3\xa9\xc3\xa9";
    EXPECT_EQ(shortened(text), std::string(159, 'a') + "...");
}

TEST(PythonDump, MustEndTheText) {
    const char* dump =
        "Fatal Python error: Bus error\n\nThread 0x1 (most recent call first):\n"
        "  File \"other.py\", line 1 in wait\n\n"
        "Current thread 0x2 (most recent call first):\n  File \"a.py\", line 5 in f\n"
        "  File \"a.py\", line 9 in <module>\n\nExtension modules: numpy (total: 1)\n";
    const auto read = python_dump_at_end(std::string("hello\n") + dump);
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->names_signal);
    ASSERT_EQ(read->frames.size(), 2U);
    EXPECT_EQ(read->frames[1].function, "f");
    EXPECT_FALSE(python_dump_at_end(std::string(dump) + "epoch 3\n"));
    const std::string whole = std::string("hello\n") + dump;
    EXPECT_EQ(before_python_dump(whole), "hello\n");
}

TEST(Words, TellFiguresAsPeopleReadThem) {
    EXPECT_EQ(part_of(Bytes::mib(498), Bytes::mib(512)), "498 MiB of 512 MiB (97 %)");
    EXPECT_EQ(roomier(Bytes::mib(512)), Bytes::mib(768));
    EXPECT_EQ(roomier(Bytes::gib(16)), Bytes::gib(24));
    EXPECT_EQ(short_command("/usr/bin/python3 train.py --lr 1"), "python3 train.py --lr 1");
    EXPECT_EQ(
        short_command("python3 /home/somebody/a/long/way/down/to/the/project/train.py --lr 1"),
        "python3 …/train.py --lr 1");
}

}  // namespace
}  // namespace holdfast
