// HF105, HF902 and HF907 by what the agent told, and decoys for them.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

// What the agent recorded, if stderr was a terminal.
Story recorded(std::string type, std::string message) {
    Story story;
    story.exits(1).raises(std::move(type), std::move(message));
    story.evidence().traceback->recorded = true;
    story.evidence().stderr_seen = false;
    story.evidence().stderr_tail.clear();
    return story;
}

TEST(RecordedException, IsCertainWithoutStderr) {
    const Verdict v = recorded("ValueError", "bad").verdict();
    EXPECT_EQ(root_of(v), "exception");
    EXPECT_TRUE(certain(v));
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->line, 42);
    EXPECT_TRUE(has_evidence(v.root, "exception: ValueError: bad"));
}

TEST(RecordedException, InWordsOfALibraryThatNobodyKnowsIsLikely) {
    Story story;
    story.exits(1).raises("RuntimeError", "something about tensors");
    EXPECT_TRUE(certain(story.verdict()));
    story.evidence().traceback->frames.push_back(
        {"/v/lib/python3.11/site-packages/torch/x.py", 7, "forward"});
    EXPECT_EQ(root_of(story.verdict()), "exception");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.evidence().traceback->type = "KeyError";
    EXPECT_TRUE(certain(story.verdict()));
}

TEST(RecordedException, OfMemoryNamesTheLineOfTheRefusal) {
    const Verdict v = recorded("numpy._core._exceptions._ArrayMemoryError",
                               "Unable to allocate 900 GiB for an array")
                          .verdict();
    EXPECT_EQ(root_of(v), "alloc-refused");
    EXPECT_TRUE(certain(v));
    EXPECT_EQ(v.root.where->line, 42);
}

TEST(RecordedException, DoesNotExplainADeathBySignal) {
    Story story = recorded("MemoryError", "");
    story.dies_by(SIGKILL);
    EXPECT_EQ(root_of(story.verdict()), "killed");
}

Story leaving(ExitCallEvidence::How how, int status) {
    Story story;
    story.exits(status);
    story.agent().exit = ExitCallEvidence{9s, how, status, {{"train.py", 8, "stop"}}};
    return story;
}

TEST(ExitCall, NamesItsLine) {
    Story story = leaving(ExitCallEvidence::How::os_exit, 3);
    const Verdict v = story.stderr_hidden().verdict();
    EXPECT_EQ(root_of(v), "exit-called");
    EXPECT_TRUE(certain(v));
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->line, 8);
    EXPECT_TRUE(has_evidence(v.root, "os._exit(3) at train.py:8"));
}

TEST(ExitCall, WithOneIsNotTakenForAnException) {
    Story story = leaving(ExitCallEvidence::How::sys_exit, 1);
    EXPECT_EQ(root_of(story.stderr_hidden().verdict()), "exit-called");
}

TEST(ExitCall, OfAnotherStatusIsNotTheOne) {
    Story story = leaving(ExitCallEvidence::How::sys_exit, 2);
    story.exits(5);
    EXPECT_FALSE(story.verdict().root.where);
}

TEST(ExitCall, BelowPythonIsHowEveryProgramEnds) {
    Story story = leaving(ExitCallEvidence::How::c_exit, 1);
    story.agent().exit->frames.clear();
    const Verdict v = story.stderr_hidden().verdict();
    EXPECT_EQ(root_of(v), "exception");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(ExitCall, InsideACellEndsTheKernelWhateverItsStatus) {
    Story story = leaving(ExitCallEvidence::How::os_exit, 0);
    EXPECT_EQ(root_of(story.verdict()), "exit-called");
    story.agent().notes.push_back({NoteEvidence::Kind::cell, 5s, 3, 1, "os._exit(0)"});
    EXPECT_EQ(root_of(story.verdict()), "exit-called");
    EXPECT_EQ(story.verdict().outcome, Outcome::died);
}

TEST(ExitCall, OfZeroBySysExitIsAnOrdinaryEnd) {
    EXPECT_EQ(root_of(leaving(ExitCallEvidence::How::sys_exit, 0).verdict()), "clean-exit");
}

TEST(LastPlace, StandsInTheVerdictOfAKillNobodySawComing) {
    Story story;
    story.dies_by(SIGKILL).agent().place = {{"train.py", 42, "main"}};
    story.agent().place_time = 9500ms;
    EXPECT_EQ(story.verdict().python_stack.size(), 1U);
    story.agent().place_time = 1s;
    EXPECT_TRUE(story.verdict().python_stack.empty());
}

}  // namespace
}  // namespace holdfast::testing
