#include "model/own_code.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(OwnCode, IsNotInstalledNorStandardNorFrozen) {
    EXPECT_TRUE(is_own_code("train.py"));
    EXPECT_TRUE(is_own_code("/home/me/python3/train.py"));
    EXPECT_TRUE(is_own_code("/tmp/ipykernel_12/99.py"));
    EXPECT_FALSE(is_own_code("/usr/lib/python3.11/json/__init__.py"));
    EXPECT_FALSE(is_own_code("/venv/lib/python3.12/site-packages/torch/nn.py"));
    EXPECT_FALSE(is_own_code("/tmp/__autograph_generated_filei_eofp0_.py"));
    EXPECT_FALSE(is_own_code("/usr/lib/python3/dist-packages/numpy/x.py"));
    EXPECT_FALSE(is_own_code("<frozen importlib._bootstrap>"));
    EXPECT_FALSE(is_own_code(""));
}

TEST(OwnCode, PrefersAFileToMadeUpSource) {
    const std::vector<Frame> frames{{"train.py", 3, "main"},
                                    {"/usr/lib/python3.11/collections/__init__.py", 9, "x"},
                                    {"<string>", 1, "__new__"}};
    ASSERT_NE(innermost_own_frame(frames), nullptr);
    EXPECT_EQ(innermost_own_frame(frames)->file, "train.py");
    const std::vector<Frame> prompt{{"<string>", 1, "<module>"}};
    ASSERT_NE(innermost_own_frame(prompt), nullptr);
    EXPECT_EQ(innermost_own_frame(prompt)->file, "<string>");
}

}  // namespace
}  // namespace holdfast
