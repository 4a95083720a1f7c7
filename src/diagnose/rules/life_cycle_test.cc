// HF901, HF902 and HF907: a run that finished, an exception, an exit of the program's own.
#include <gtest/gtest.h>

#include "diagnose/death/death.h"
#include "diagnose/evidence_builder.h"
#include "diagnose/rules/rules.h"

namespace holdfast::testing {
namespace {

TEST(CleanExit, IsEndAndRoot) {
    const Verdict v = Story().exits(0).verdict();
    EXPECT_EQ(v.outcome, Outcome::finished);
    EXPECT_EQ(end_of(v), "clean-exit");
    EXPECT_EQ(root_of(v), "clean-exit");
    EXPECT_TRUE(certain(v));
}

TEST(CleanExit, StaysCleanWhateverWasLogged) {
    EXPECT_EQ(root_of(Story().exits(0).raises("RuntimeError", "caught").verdict()), "clean-exit");
}

TEST(CleanExit, SoonAfterARequestToStopIsBecauseOfIt) {
    const Verdict v = Story().exits(0).signal_seen(SIGTERM, 9s).verdict();
    EXPECT_EQ(v.end.cause, "clean-exit"_cause);
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_FALSE(certain(v));
    EXPECT_EQ(v.outcome, Outcome::died);
}

TEST(CleanExit, WithAHelperThatCrashedTellsIt) {
    Story story;
    story.child(201, Role::helper).child_dies(201, SIGSEGV, 4s).exits(0);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "clean-exit");
    EXPECT_TRUE(contributes(v, "segfault"));
}

TEST(Exception, NamesTheInnermostOwnLine) {
    const Verdict v = Story().exits(1).raises("ValueError", "bad").verdict();
    EXPECT_EQ(root_of(v), "exception");
    EXPECT_TRUE(certain(v));
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->file, "train.py");
    EXPECT_EQ(v.root.where->line, 42);
    ASSERT_EQ(v.python_stack.size(), 1U);
}

TEST(Exception, ThatDoesNotEndTheOutputIsNotTheCause) {
    const Verdict v = Story().exits(1).raises("ValueError", "bad", false).says("bye\n").verdict();
    EXPECT_EQ(root_of(v), "exit-called");
}

TEST(ExitCalled, OfAChildIsJudgedByTheChildsOwnException) {
    Story story;
    story.child(201, Role::worker).child_exits(201, 1, 4s);
    AgentEvidence& agent = story.agent(201);
    agent.exit = ExitCallEvidence{3s, ExitCallEvidence::How::sys_exit, 1, {{"work.py", 7, "run"}}};
    ExceptionEvidence thrown;
    thrown.time = 3500ms;
    thrown.in_main_thread = true;
    thrown.type = "ValueError";
    thrown.message = "bad";
    thrown.frames = {{"work.py", 9, "run"}};
    agent.exceptions.push_back(thrown);
    story.exits(0);
    ASSERT_FALSE(story.evidence().traceback) << "the run itself has none";
    const std::optional<Death> death = death_of(story.evidence(), story.at(201));
    ASSERT_TRUE(death);
    EXPECT_FALSE(rules::exit_called(*autopsy_of(*death))) << "the exception came after sys.exit";
    EXPECT_TRUE(rules::exception(*autopsy_of(*death)));
}

TEST(ExitCalled, IsCertainWhenStderrWasSeen) {
    const Verdict v = Story().exits(3).verdict();
    EXPECT_EQ(root_of(v), "exit-called");
    EXPECT_TRUE(certain(v));
}

TEST(Exception, IsLikelyWhenPythonEndsWithOneAndItsWordsWereNotKept) {
    const Verdict v = Story().exits(1).stderr_hidden().verdict();
    EXPECT_EQ(root_of(v), "exception");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(ExitCalled, IsOnlyLikelyWithoutStderr) {
    const Verdict v = Story().exits(3).stderr_hidden().verdict();
    EXPECT_EQ(root_of(v), "exit-called");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    EXPECT_FALSE(v.missing.empty());
}

TEST(ExitCalled, OfAPythonProgramThatChose137IsNoKill) {
    EXPECT_EQ(root_of(Story().exits(137).verdict()), "exit-called");
}

TEST(ExitCalled, OfAContainerClientDoesNotSpeakOfTheCountersHere) {
    Story story;
    story.exits(137).at(main_pid).name = "docker";
    story.at(main_pid).python = false;
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "exit-called");
    ASSERT_EQ(v.root.fixes.size(), 1U);
    EXPECT_NE(v.root.fixes[0].text.find("SIGKILL"), std::string::npos);
}

TEST(Wrapper, ThatShrugsOffTheProgramsDeathFinished) {
    Story story;
    story.behind_shell(0).at(101).exit = ExitStatus{std::nullopt, SIGSEGV};
    const Verdict v = story.verdict();
    EXPECT_EQ(v.outcome, Outcome::finished);
    EXPECT_EQ(root_of(v), "clean-exit");
    EXPECT_TRUE(contributes(v, "segfault"));
}

TEST(Ranks, ATracebackThatAnotherProcessRaisedIsNotTheParents) {
    Story story;
    story.child(200).child_exits(200, 7, 9s);
    raised_in(story, 200, "KeyError", "'c'", 8s);
    story.exits(3).raises("KeyError", "'c'");
    story.agent();
    EXPECT_EQ(root_of(story.verdict()), "exit-called");
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

}  // namespace
}  // namespace holdfast::testing
