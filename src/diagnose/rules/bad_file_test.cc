// HF604 and HF605: inputs and checkpoints that are damaged, and the look-alikes.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

TEST(BadInput, TheFileIsNamed) {
    const Verdict verdict =
        raised("PIL.UnidentifiedImageError", "cannot identify image file 'cat.jpg'");
    EXPECT_EQ(verdict.root.cause, "bad-input"_cause);
    EXPECT_NE(verdict.root.summary.find("cat.jpg"), std::string::npos);
}

TEST(BadInput, AFileThatIsNotThereIsAnException) {
    EXPECT_EQ(
        raised("FileNotFoundError", "[Errno 2] No such file or directory: 'a.csv'").root.cause,
        "exception"_cause);
}

TEST(BadInput, AnotherTypeOfTheSameEndingIsNotMeant) {
    EXPECT_EQ(raised("my.NotAJSONDecodeError", "x").root.cause, "exception"_cause);
}

TEST(CheckpointCorrupt, TorchsWordsAboutItsArchive) {
    const Verdict verdict =
        raised("RuntimeError",
               "PytorchStreamReader failed reading zip archive: failed finding central "
               "directory");
    EXPECT_EQ(verdict.root.cause, "checkpoint-corrupt"_cause);
    EXPECT_EQ(verdict.root.confidence, Confidence::certain);
}

TEST(CheckpointCorrupt, ARefusalToRunCodeIsNoDamage) {
    EXPECT_EQ(raised("_pickle.UnpicklingError",
                     "Weights only load failed. This file can still be loaded, to do so you have "
                     "two options")
                  .root.cause,
              "exception"_cause);
}

TEST(CheckpointCorrupt, AByteThatIsNoInstructionIsDamage) {
    Story story;
    story.exits(1).raises(
        "_pickle.UnpicklingError",
        "Weights only load failed. WeightsUnpickler error: Unsupported operand 60");
    EXPECT_EQ(root_of(story.verdict()), "checkpoint-corrupt");
}

TEST(BadInput, AnArrayThatIsNoneIsNoCheckpoint) {
    Story story;
    story.exits(1).raises("_pickle.UnpicklingError",
                          "Failed to interpret file 'x.npy' as a pickle");
    EXPECT_EQ(root_of(story.verdict()), "bad-input");
}

TEST(DataRules, AnExceptionThatWasCaughtDecidesNothing) {
    const Verdict verdict =
        Story().raises("json.decoder.JSONDecodeError", "Expecting value").exits(3).verdict();
    EXPECT_EQ(verdict.root.cause, "exit-called"_cause);
    EXPECT_FALSE(verdict.root.where);
}

TEST(WorkerPlace, AnExceptionSentAlongByALoaderHasTheWorkersLine) {
    const Verdict verdict = raised(
        "PIL.UnidentifiedImageError",
        "Caught UnidentifiedImageError in DataLoader worker process 0.\n"
        "Original Traceback (most recent call last):\n"
        "  File \"/v/lib/python3.11/site-packages/torch/utils/data/_utils/fetch.py\", line 54, in "
        "fetch\n"
        "  File \"data.py\", line 20, in __getitem__\n"
        "  File \"/v/lib/python3.11/site-packages/PIL/Image.py\", line 3730, in open\n"
        "PIL.UnidentifiedImageError: cannot identify image file '5.png'");
    ASSERT_TRUE(verdict.root.where);
    EXPECT_EQ(verdict.root.where->file, "data.py");
    EXPECT_EQ(verdict.root.where->line, 20);
}

}  // namespace
}  // namespace holdfast::testing
