// HF602 and what must not be called it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

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

}  // namespace
}  // namespace holdfast::testing
