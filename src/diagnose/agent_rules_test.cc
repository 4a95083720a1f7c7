// HF105, HF601, HF902, HF907 and HF908 by what the agent told, and decoys for them.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

// The agent's word for it, where stderr was a terminal.
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

Story asked(Nanos when) {
    Story story;
    story.agent().notes.push_back({NoteEvidence::Kind::shutdown_request, when, 1, 0, ""});
    return story;
}

TEST(ShutDown, IsWhatTheServerAskedFor) {
    const Verdict clean = asked(9s).exits(0).verdict();
    EXPECT_EQ(root_of(clean), "shut-down");
    EXPECT_EQ(clean.outcome, Outcome::finished);
    EXPECT_FALSE(contributes(clean, "clean-exit"));
    const Verdict killed = asked(9s).dies_by(SIGTERM).verdict();
    EXPECT_EQ(root_of(killed), "shut-down");
    EXPECT_EQ(killed.outcome, Outcome::died);
}

TEST(ShutDown, IsNotACrashAnOomKillOrARequestLongPast) {
    EXPECT_EQ(root_of(asked(9s).dies_by(SIGSEGV).verdict()), "segfault");
    Story oom = asked(9s);
    oom.dies_by(SIGKILL).held(main_pid, Bytes::mib(480)).container_oom();
    EXPECT_EQ(root_of(oom.verdict()), "cgroup-oom");
    Story old = asked(1s);
    old.exits(0).evidence().end_time = 1000s;
    EXPECT_EQ(root_of(old.verdict()), "clean-exit");
}

Story diverged() {
    Story story;
    story.agent().steps.count = 500;
    story.agent().steps.source = "torch optimizer";
    story.agent().steps.first_nonfinite = 431;
    return story;
}

TEST(NanLoss, IsTheRootOfAnExceptionThatSpeaksOfIt) {
    Story story = diverged();
    story.exits(1).raises("ValueError", "Input contains NaN.");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "nan-loss");
    EXPECT_EQ(end_of(v), "exception");
    EXPECT_NE(v.root.summary.find("step 431"), std::string::npos);
}

TEST(NanLoss, ContributesToAnyOtherEnd) {
    Story other = diverged();
    other.exits(1).raises("FileNotFoundError", "data/x");
    EXPECT_EQ(root_of(other.verdict()), "exception");
    EXPECT_TRUE(contributes(other.verdict(), "nan-loss"));
    EXPECT_EQ(root_of(diverged().exits(0).verdict()), "clean-exit");
    EXPECT_TRUE(contributes(diverged().exits(0).verdict(), "nan-loss"));
}

TEST(NanLoss, OfHundredsOfStepsExplainsTheProgramsOwnComplaint) {
    Story story = diverged();
    story.agent().steps.first_nonfinite = 131;
    story.exits(1).raises("RuntimeError", "accuracy is worse than chance, model not saved");
    EXPECT_EQ(root_of(story.verdict()), "exception");  // a library's complaint
    story.evidence().traceback->frames.pop_back();
    EXPECT_EQ(root_of(story.verdict()), "nan-loss");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.agent().steps.last_finite_loss = 0.3;  // it recovered
    EXPECT_EQ(root_of(story.verdict()), "exception");
}

TEST(NanLoss, IsNotTiedToAnEndByThePathsInIt) {
    Story story = diverged();
    story.at(main_pid).command = "python /home/fernando/train.py";
    story.exits(1).raises("FileNotFoundError", "[Errno 2] No such file: '/home/fernando/nan.csv'");
    EXPECT_EQ(root_of(story.verdict()), "exception");
    EXPECT_TRUE(contributes(story.verdict(), "nan-loss"));
    for (const std::string said :
         {"Input contains NaN.", "found inf, nan or huge values", "loss is not finite: nan"}) {
        Story about = diverged();
        about.exits(1).raises("ValueError", said);
        EXPECT_EQ(root_of(about.verdict()), "nan-loss") << said;
    }
}

TEST(NanLoss, IsStatedBySomebodyWhoLookedAtTheNumbers) {
    Story story;
    story.exits(1).raises("RuntimeError",
                          "Function 'SqrtBackward0' returned nan values in its 0th output.");
    EXPECT_EQ(root_of(story.verdict()), "nan-loss");
    EXPECT_EQ(end_of(story.verdict()), "exception");
    EXPECT_TRUE(certain(story.verdict()));
    Story own;
    own.exits(1).raises("ValueError", "Loss is NaN, stopping training");
    EXPECT_EQ(root_of(own.verdict()), "nan-loss");
    EXPECT_EQ(own.verdict().root.confidence, Confidence::likely);
}

NoteEvidence validation(const std::string& measured) {
    NoteEvidence note;
    note.kind = NoteEvidence::Kind::validation;
    note.a = 3;
    note.text = measured;
    return note;
}

TEST(NanLoss, OfAValidationContributesWithItsEpoch) {
    Story story;
    story.exits(0).agent().notes = {validation("val_loss nan\nval_mae 0.2")};
    EXPECT_EQ(root_of(story.verdict()), "clean-exit");
    ASSERT_TRUE(contributes(story.verdict(), "nan-loss"));
    EXPECT_NE(story.verdict().contributing.front().summary.find("epoch 3"), std::string::npos);
    // A measure that is undefined for this set says nothing of the model.
    story.agent().notes = {validation("val_loss 0.3\nval_f1 nan")};
    EXPECT_FALSE(contributes(story.verdict(), "nan-loss"));
}

TEST(NanLoss, IsMendedInTheWordsOfTheFrameworkThatCounted) {
    Story story = diverged();
    story.exits(1).raises("ValueError", "Input contains NaN.");
    EXPECT_NE(story.verdict().root.fixes.front().code.find("clip_grad_norm_"), std::string::npos);
    story.agent().steps.source = "keras fit";
    EXPECT_NE(story.verdict().root.fixes.front().code.find("clipnorm"), std::string::npos);
}

TEST(NanLoss, IsNeverStatedWithoutARecordedStep) {
    Story story;
    story.agent().steps.count = 500;
    story.exits(1).raises("ValueError", "Input contains NaN.");
    EXPECT_EQ(root_of(story.verdict()), "exception");
    EXPECT_FALSE(contributes(story.verdict(), "nan-loss"));
}

Story with_uneven_steps() {
    Story story;
    StepsEvidence& steps = story.exits(0).agent().steps;
    steps.count = 200;
    steps.recent_median = 60ms;
    steps.recent_slowest = 400ms;
    story.evidence().pressure.cpu_some = 90;
    ProcessEvidence& process = story.evidence().processes[0];
    process.first_seen = 0s;
    process.ended = 100s;
    process.cpu_time = 40s;
    return story;
}

TEST(UnevenSteps, AreToldWhereTheMachineShowsWhy) {
    Story story = with_uneven_steps();
    EXPECT_TRUE(contributes(story.verdict(), "uneven-steps"));
    story.evidence().pressure.cpu_some = 20;
    EXPECT_FALSE(contributes(story.verdict(), "uneven-steps"));
    story.evidence().pressure.io_full = 30;
    EXPECT_TRUE(contributes(story.verdict(), "uneven-steps"));
    story.agent().steps.recent_slowest = 200ms;
    EXPECT_FALSE(contributes(story.verdict(), "uneven-steps"));
}

TEST(UnevenSteps, OfAProgramThatAlwaysHadItsCoreAreItsOwn) {
    Story story = with_uneven_steps();
    story.evidence().processes[0].cpu_time = 98s;
    EXPECT_FALSE(contributes(story.verdict(), "uneven-steps"));
    story.evidence().processes[0].cpu_time = 250s;  // several threads: it cannot be told
    EXPECT_TRUE(contributes(story.verdict(), "uneven-steps"));
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
