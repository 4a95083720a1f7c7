// HF310 and faulthandler's words, which are none.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/crash_story.h"

namespace holdfast::testing {
namespace {

TEST(FatalPython, IsReadFromTheUnreadWords) {
    const Verdict v = crashed(SIGABRT, -6, [](CrashEvidence& c) {
        c.unread = "Fatal Python error: none_dealloc: deallocating None\n";
    });
    EXPECT_EQ(root_of(v), "fatal-python-error");
}

TEST(FatalPython, IsTheInterpretersOwnReason) {
    const char* dump =
        "Fatal Python error: _Py_CheckRecursiveCall: Cannot recover from stack overflow.\n"
        "Python runtime state: initialized\n\n"
        "Current thread 0x00007f (most recent call first):\n"
        "  File \"train.py\", line 3 in f\n  ...\n";
    const Verdict v = Story().dies_by(SIGABRT).says(dump).verdict();
    EXPECT_EQ(root_of(v), "fatal-python-error");
    EXPECT_TRUE(certain(v));
    // Printed by a program that went on and ended in another way.
    EXPECT_EQ(root_of(Story().dies_by(SIGABRT).says(dump).says("epoch 2\n").verdict()),
              "native-abort");
}

TEST(FatalPython, IsNotFaulthandlersWordForASignal) {
    EXPECT_EQ(root_of(Story().dies_by(SIGABRT).says("Fatal Python error: Aborted\n\n").verdict()),
              "native-abort");
}

}  // namespace
}  // namespace holdfast::testing
