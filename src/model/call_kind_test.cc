#include "model/call_kind.h"

#include <gtest/gtest.h>

namespace holdfast {
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
