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

namespace {

const char* const library = "/v/lib/python3.11/site-packages/x/y.py";

TEST(CallKind, ALibrarysReaderBelowTheLineLoads) {
    for (const char* name : {"read_csv", "load", "loads", "imread"})
        EXPECT_EQ(kind_of_call({{"a.py", 3, "main"}, {library, 1, name}}, 0), CallKind::loads)
            << name;
}

TEST(CallKind, ALeadingUnderscoreSaysNothing) {
    EXPECT_EQ(kind_of_call({{"a.py", 3, "main"}, {library, 1, "_get_result"}}, 0), CallKind::other);
}

TEST(CallKind, TheUsersOwnNamesCountAboveTheLineToo) {
    EXPECT_EQ(kind_of_call({{"a.py", 3, "load_images"}, {"a.py", 9, "one"}}, 1), CallKind::loads);
    EXPECT_EQ(kind_of_call({{"a.py", 9, "main.<locals>.<listcomp>"}}, 0), CallKind::collects);
    EXPECT_EQ(kind_of_call({{"a.py", 9, "<listcomp>"}, {"a.py", 4, "one"}}, 1), CallKind::collects);
    EXPECT_EQ(kind_of_call({{"a.py", 9, "Trial.__init__"}}, 0), CallKind::prepares);
}

TEST(CallKind, ALibraryThatCallsBackSaysNothing) {
    const std::vector<Frame> frames{
        {"a.py", 3, "main"}, {library, 1, "load"}, {"a.py", 9, "__getitem__"}};
    EXPECT_EQ(kind_of_call(frames, 2), CallKind::other);
}

TEST(CallKind, ALibrarysFitIsOneCallAndTheUsersTrainALoop) {
    EXPECT_EQ(kind_of_call({{"a.py", 3, "main"}, {library, 1, "BaseForest.fit"}}, 0),
              CallKind::works);
    EXPECT_EQ(kind_of_call({{"a.py", 3, "train"}, {library, 1, "ones"}}, 0), CallKind::other);
}

TEST(CallKind, WordsAreWholeWords) {
    for (const char* name : {"upload", "ready", "reload_all", "DataLoader.__next__", "", "_"})
        EXPECT_EQ(kind_of_call({{"a.py", 3, name}}, 0), CallKind::other) << name;
    EXPECT_EQ(kind_of_call({}, 0), CallKind::other);
}

}  // namespace

}  // namespace holdfast
