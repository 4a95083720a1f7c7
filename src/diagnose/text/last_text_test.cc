#include "diagnose/text/last_text.h"

#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast {
namespace {

using testing::Story;
using namespace std::chrono_literals;

std::optional<Said> last_words(Story story, std::string_view needle) {
    return said_last(deciding_death(story.evidence()), {needle});
}

TEST(LastLines, AreTheLastOnesThatAreNotBlankOldestFirst) {
    using Lines = std::vector<std::string_view>;
    EXPECT_EQ(last_lines("a\nb\n\n  \nc\n", 2), (Lines{"b", "c"}));
    EXPECT_EQ(last_lines("a", 3), Lines{"a"});
    EXPECT_EQ(last_lines("", 3), Lines{});
    EXPECT_EQ(last_lines("\n\n", 3), Lines{});
}

TEST(LastText, AMessageCountsAtTheEndOnly) {
    const auto said = last_words(Story().exits(1).says("loading\nNo space left\n"), "No space");
    ASSERT_TRUE(said);
    EXPECT_EQ(said->line, "No space left");
    EXPECT_TRUE(said->final);
    EXPECT_FALSE(last_words(Story().exits(1).says("No space left\na\nb\nc\nd\n"), "No space"));
}

TEST(LastText, AMessageThatOthersFollowIsNotFinal) {
    const auto said = last_words(Story().exits(1).says("No space left\nbye\n"), "No space");
    ASSERT_TRUE(said);
    EXPECT_FALSE(said->final);
}

TEST(LastText, ANativeRuntimeSpeaksSomeLinesBeforeItAborts) {
    const std::string after = "1\n2\n3\n4\n5\n6\n";
    EXPECT_TRUE(last_words(Story().dies_by(SIGABRT).says("NCCL gave up\n" + after), "NCCL"));
    EXPECT_FALSE(last_words(Story().exits(1).says("NCCL gave up\n" + after), "NCCL"));
}

TEST(LastText, ASuccessSaidNothingThatMatters) {
    EXPECT_FALSE(last_words(Story().exits(0).says("No space left\n"), "No space"));
}

TEST(LastText, OnlyTheExceptionItselfIsSearchedNotTheCodeThatItQuotes) {
    Story story;
    story.exits(1).says("    raise OSError('No space left')\n").raises("KeyError", "'a'");
    EXPECT_FALSE(last_words(story, "No space"));
    EXPECT_TRUE(last_words(story, "KeyError"));
}

TEST(LastText, WhatGlibcSaidAtAnAbortIsFinal) {
    Story story;
    story.dies_by(SIGABRT).crash(SIGABRT, -6).abort_text = "double free or corruption (out)\n";
    const auto said = last_words(story, "double free");
    ASSERT_TRUE(said);
    EXPECT_TRUE(said->final);
    EXPECT_EQ(said->source, "abort message");
}

TEST(LastText, AFullDiskOfTheProgramsOwnWordsIsNotTheSystems) {
    const auto system_said = [](Story story) {
        return system_said_last(deciding_death(story.evidence()), {"No space left"}).has_value();
    };
    EXPECT_TRUE(system_said(Story().exits(1).raises("OSError", "[Errno 28] No space left")));
    EXPECT_FALSE(system_said(Story().exits(1).raises("ValueError", "No space left for b")));
    EXPECT_TRUE(system_said(Story().exits(1).raises("ValueError", "[Errno 28] No space left")));
}

TEST(FinalException, IsOfAFailureThatNoSignalCaused) {
    const auto has_one = [](Story story) {
        return final_exception(deciding_death(story.evidence())) != nullptr;
    };
    EXPECT_TRUE(has_one(Story().exits(1).raises("OSError", "x")));
    EXPECT_FALSE(has_one(Story().exits(0).raises("OSError", "x")));
    EXPECT_FALSE(has_one(Story().dies_by(SIGSEGV).raises("OSError", "x")));
    EXPECT_FALSE(has_one(Story().exits(1).raises("OSError", "x", false)));
}

TEST(FinalException, AChildsOwnIsNotTheParents) {
    Story story;
    story.exits(1).raises("OSError", "in the child\nand more").child(200);
    story.agent();
    ExceptionEvidence thrown;
    thrown.type = "OSError";
    thrown.message = "in the child";
    thrown.in_main_thread = true;
    story.agent(200).exceptions = {thrown};
    EXPECT_EQ(final_exception(deciding_death(story.evidence())), nullptr);
    story.evidence().traceback->message = "of its own";
    EXPECT_NE(final_exception(deciding_death(story.evidence())), nullptr);
}

Topic topic(std::string type, std::string message) {
    TracebackText traceback;
    traceback.type = std::move(type);
    traceback.message = std::move(message);
    return topic_of(traceback);
}

TEST(Topic, ANotANumberIsAWholeWord) {
    EXPECT_EQ(topic("ValueError", "Input contains NaN."), Topic::nonfinite_number);
    EXPECT_EQ(topic("ValueError", "loss is -inf"), Topic::nonfinite_number);
    EXPECT_EQ(topic("OSError", "cannot open /home/fernando/nan/x"), Topic::none);
    EXPECT_EQ(topic("ValueError", "5 nanoseconds"), Topic::none);
    EXPECT_EQ(topic("torch.cuda.OutOfMemoryError", ""), Topic::gpu_memory);
}

TEST(LastText, AnExceptionIsOneLine) {
    TracebackText traceback;
    traceback.type = "MemoryError";
    EXPECT_EQ(exception_line(traceback), "MemoryError");
    traceback.message = "no room";
    EXPECT_EQ(exception_line(traceback), "MemoryError: no room");
}

}  // namespace
}  // namespace holdfast
