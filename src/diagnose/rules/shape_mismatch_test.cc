// HF603 and what must not be called it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

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
        EXPECT_EQ(root_of(story.verdict()), "shape-mismatch") << words;
    }
}

}  // namespace
}  // namespace holdfast::testing
