// Bad labels, shapes, inputs and checkpoints: what each must claim, and the look-alikes it must
// not.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast {
namespace {

using testing::Story;

Verdict raised(std::string type, std::string message) {
    return Story().raises(std::move(type), std::move(message)).exits(1).verdict();
}

TEST(BadLabel, AnIndexAndItsRangeAreTold) {
    const Verdict verdict =
        raised("RuntimeError", "index -100 is out of bounds for dimension 1 with size 7");
    EXPECT_EQ(verdict.root.cause, "bad-label"_cause);
    EXPECT_EQ(verdict.root.confidence, Confidence::certain);
    EXPECT_NE(verdict.root.summary.find("-100"), std::string::npos);
    EXPECT_NE(verdict.root.summary.find("0 to 6"), std::string::npos);
    EXPECT_EQ(verdict.root.fixes.front().code, "nn.CrossEntropyLoss(ignore_index=-100)");
}

TEST(BadLabel, AnIndexOfAPlainListIsAnException) {
    EXPECT_EQ(raised("IndexError", "list index out of range").root.cause, "exception"_cause);
    EXPECT_EQ(raised("IndexError", "index 9 is out of bounds for axis 0 with size 9").root.cause,
              "exception"_cause);
}

TEST(ShapeMismatch, TheFixNamesTheSizeThatArrives) {
    const Verdict verdict =
        raised("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (4x7200 and 7688x10)");
    EXPECT_EQ(verdict.root.cause, "shape-mismatch"_cause);
    EXPECT_NE(verdict.root.fixes.front().code.find("nn.Linear(7200, 10)"), std::string::npos);
}

TEST(ShapeMismatch, AFileCutShortIsNoMatterOfShapes) {
    Story story;
    story.raises("ValueError", "cannot reshape array of size 1234 into shape (1000,64)").exits(1);
    story.evidence().traceback->frames.push_back({"/v/site-packages/numpy/x.py", 3, "read_array"});
    EXPECT_EQ(story.verdict().root.cause, "bad-input"_cause);
}

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
    EXPECT_EQ(testing::root_of(story.verdict()), "checkpoint-corrupt");
}

TEST(BadInput, AnArrayThatIsNoneIsNoCheckpoint) {
    Story story;
    story.exits(1).raises("_pickle.UnpicklingError",
                          "Failed to interpret file 'x.npy' as a pickle");
    EXPECT_EQ(testing::root_of(story.verdict()), "bad-input");
}

TEST(ShapeMismatch, IsReadInTheWordsOfEveryLibrary) {
    for (const auto& [type, words] : {
             std::pair{"RuntimeError", "running_mean should contain 5 elements not 4"},
             std::pair{"ValueError", "All arrays must be of the same length"},
             std::pair{"numpy.linalg.LinAlgError", "Last 2 dimensions of the array must be square"},
             std::pair{"RuntimeError",
                       "Given input size: (1x1x1). Calculated output size: "
                       "(1x0x0). Output size is too small"},
         }) {
        Story story;
        story.exits(1).raises(type, words);
        EXPECT_EQ(testing::root_of(story.verdict()), "shape-mismatch") << words;
    }
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

TEST(Worker, OneThatCameAndWentBetweenTwoLooksIsKnownByTheKernelsWord) {
    Story story;
    story
        .raises("subprocess.CalledProcessError",
                "Command '['python']' died with <Signals.SIGKILL: 9>.")
        .exits(1)
        .container_oom()
        .logged_oom(777, "CONSTRAINT_MEMCG", std::chrono::milliseconds(9900));
    const Verdict verdict = story.verdict();
    EXPECT_EQ(verdict.end.cause, "worker-oom"_cause);
    EXPECT_EQ(verdict.process.pid, 777);
}

}  // namespace
}  // namespace holdfast
