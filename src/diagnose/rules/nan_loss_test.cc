// HF601 by the losses that the agent recorded, and decoys for it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

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

TEST(NanLoss, ExplainsAnExitThatTheProgramChoseAFewStepsLater) {
    Story story = diverged();
    story.agent().steps.first_nonfinite = 497;
    story.agent().steps.last_finite_loss = 0.5;
    story.exits(3);
    story.agent().exit = ExitCallEvidence{
        9s, ExitCallEvidence::How::sys_exit, 3, {{"train.py", 8, "Watchdog.check"}}};
    EXPECT_EQ(end_of(story.verdict()), "exit-called");
    EXPECT_EQ(root_of(story.verdict()), "nan-loss");
    EXPECT_FALSE(certain(story.verdict()));
    // Many steps with a loss followed, so it exited for another reason.
    story.agent().steps.first_nonfinite = 131;
    EXPECT_EQ(root_of(story.verdict()), "exit-called");
}

TEST(NanLoss, OfHundredsOfStepsExplainsTheProgramsOwnComplaint) {
    Story story = diverged();
    story.agent().steps.first_nonfinite = 131;
    story.exits(1).raises("RuntimeError", "accuracy is worse than chance, model not saved");
    EXPECT_EQ(root_of(story.verdict()), "exception");  // a library raised it
    story.evidence().traceback->frames.pop_back();
    EXPECT_EQ(root_of(story.verdict()), "nan-loss");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.agent().steps.last_finite_loss = 0.3;  // the loss recovered
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

TEST(NanLoss, IsWhatAnOwnCheckMeansWhoseFrameHasSuchANumber) {
    Story story = diverged();
    story.agent().steps.first_nonfinite = 499;
    story.agent().steps.last_finite_loss = 1e35;
    story.exits(1).raises("ArithmeticError", "training went astray");
    story.evidence().traceback->frames.pop_back();
    EXPECT_EQ(root_of(story.verdict()), "exception");
    NoteEvidence note;
    note.kind = NoteEvidence::Kind::nonfinite;
    note.text = "value\ninf\ntrain.py\n31";
    story.agent().notes = {note};
    EXPECT_EQ(root_of(story.verdict()), "nan-loss");
    EXPECT_TRUE(certain(story.verdict()));
    story.exits(1).raises("KeyError", "'val'");
    story.evidence().traceback->frames.pop_back();
    EXPECT_EQ(root_of(story.verdict()), "exception");
}

TEST(NanLoss, IsPlacedWhereTheNumberCameToBe) {
    Story story = diverged();
    story.exits(1).raises("ValueError", "loss is nan");
    NoteEvidence note;
    note.kind = NoteEvidence::Kind::nonfinite;
    note.text = "loss\nnan\ntrain.py\n31\nloss.py\n12";
    story.agent().notes = {note};
    const auto line_of = [&] { return story.verdict().root.where.value().line; };
    const auto called_at = line_of();
    EXPECT_NE(called_at, 12);  // a library found the number: the place to look at is the call to it
    story.evidence().traceback->frames.pop_back();
    EXPECT_EQ(line_of(), 12);
    EXPECT_NE(story.verdict().end.where.value().line, 12);
    for (const char* damaged : {"loss\nnan\ntrain.py\n31", "loss\nnan\ntrain.py\n31\nloss.py\n-4",
                                "loss\nnan\ntrain.py\n31\nloss.py\nx"}) {
        story.agent().notes.front().text = damaged;
        EXPECT_NE(line_of(), 12);
    }
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
    // A metric that is undefined for this data says nothing about the model.
    story.agent().notes = {validation("val_loss 0.3\nval_f1 nan")};
    EXPECT_FALSE(contributes(story.verdict(), "nan-loss"));
}

TEST(NanLoss, OfAValidationHasTheNameThatItsTrainerOrTheProgramGaveIt) {
    const auto found = [](const std::string& line) {
        Story story;
        story.exits(0).agent().notes = {validation("accuracy 0.5\n" + line)};
        return contributes(story.verdict(), "nan-loss");
    };
    for (const char* line :
         {"eval_loss nan", "eval_loss inf", "eval_loss -inf", "eval_held_out2_loss nan",
          "valid/loss nan", "Loss/val nan", "val_loss_epoch nan", "val_loss/dataloader_idx_1 nan",
          "validation loss nan", "loss nan", "valLoss inf"})
        EXPECT_TRUE(found(line)) << line;
    for (const char* line : {"eval_loss 0.3", "eval_f1 nan", "val_loss_ratio nan", "lossless nan",
                             "eval_loss nanometres", "nan", " nan", "", "loss"})
        EXPECT_FALSE(found(line)) << line;
}

TEST(NanLoss, OfAValidationSaysNothingAboutTrainingLossesThatNobodySaw) {
    Story story;
    story.exits(0).agent().notes = {validation("eval_loss nan")};
    const auto says_so = [&] {
        return story.verdict().contributing.front().summary.find("no training loss") !=
               std::string::npos;
    };
    EXPECT_FALSE(says_so());  // they were on a GPU
    story.agent().steps.last_finite_loss = 0.5;
    EXPECT_TRUE(says_so());
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

}  // namespace
}  // namespace holdfast::testing
