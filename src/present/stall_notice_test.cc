// Notices between the program's own lines: few lines, complete, and safe for a terminal.
#include "present/stall_notice.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast {
namespace {

Verdict stuck() {
    Verdict verdict;
    verdict.outcome = Outcome::stuck;
    verdict.run.id = "20261115-1";
    verdict.root.cause = "lock-deadlock"_cause;
    verdict.root.confidence = Confidence::certain;
    verdict.root.summary = "2 threads of train.py wait for locks.";
    verdict.root.evidence = {{"not moving", "45 s"}};
    for (int i = 0; i < 20; ++i) verdict.root.evidence.push_back({"Thread", "waits\x1b[2J here"});
    return verdict;
}

TEST(StallNotice, is_a_short_block_of_whole_lines) {
    const std::string text = stall_notice(stuck(), std::chrono::seconds(45), Style{});
    EXPECT_TRUE(text.starts_with("holdfast: not moving for 45"));
    EXPECT_EQ(text.back(), '\n');
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 8);
    EXPECT_NE(text.find("HF706"), std::string::npos);
    EXPECT_NE(text.find("holdfast why 20261115-1"), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(StallNotice, the_line_of_a_cell_names_its_place_and_is_one_line) {
    Verdict verdict = stuck();
    verdict.root.where = Where{"cell [3]", 5, "update", ""};
    const std::string line = stall_line(verdict, std::chrono::seconds(20));
    EXPECT_TRUE(line.starts_with("holdfast: not moving for 20.0 s at cell [3], line 5. "));
    EXPECT_TRUE(line.ends_with("(holdfast explain lock-deadlock)"));
    EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(StallNotice, one_line_says_that_it_moves_again) {
    const std::string text = moves_again_notice(std::chrono::minutes(2));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

}  // namespace
}  // namespace holdfast
