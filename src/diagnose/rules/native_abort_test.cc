// HF303 and HF307 by the message and by the crash handler's record, and decoys for them.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/crash_story.h"

namespace holdfast::testing {
namespace {

TEST(HeapCorruption, IsKnownByGlibcsOwnTextWithoutStderr) {
    Story story;
    story.dies_by(SIGABRT).stderr_hidden().crash(SIGABRT, -6).abort_text =
        "double free or corruption (out)";
    EXPECT_EQ(root_of(story.verdict()), "heap-corruption");
    EXPECT_TRUE(certain(story.verdict()));
    EXPECT_TRUE(has_evidence(story.verdict().root, "abort message: double free"));
}

TEST(HeapCorruption, ByACrashInsideTheAllocatorIsLikely) {
    const Verdict v = crashed(SIGSEGV, 1, [](CrashEvidence& c) { c.in_allocator = true; });
    EXPECT_EQ(root_of(v), "heap-corruption");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    EXPECT_EQ(end_of(v), "segfault");
}

TEST(NativeAbort, TellsTheExceptionNobodyCaught) {
    const Verdict v = crashed(SIGABRT, -6, [](CrashEvidence& c) {
        c.exception_type = "std::runtime_error";
        c.exception_what = "no such device";
    });
    EXPECT_EQ(root_of(v), "native-abort");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("std::runtime_error: no such device"), std::string::npos)
        << v.root.summary;
}

TEST(NativeAbort, OfABadAllocIsARefusal) {
    const Verdict v =
        crashed(SIGABRT, -6, [](CrashEvidence& c) { c.exception_type = "std::bad_alloc"; });
    EXPECT_EQ(root_of(v), "alloc-refused");
}

TEST(CrashRecord, BlamesNoLibraryThatOnlyCalledPython) {
    const Verdict v = crashed(SIGABRT, -6, [](CrashEvidence& c) {
        c.native = {frame("abort", "libc.so.6"), frame("os_abort", "python3.11"),
                    frame("_PyEval_EvalFrameDefault", "python3.11"),
                    frame("task_step_impl", "_asyncio.cpython-311-x86_64-linux-gnu.so")};
    });
    EXPECT_EQ(v.root.summary.find("_asyncio"), std::string::npos) << v.root.summary;
}

TEST(NativeAbort, IsCertainWithItsMessageOnly) {
    const Verdict with =
        Story().dies_by(SIGABRT).says("train: a.cc:3: main: Assertion `n > 0' failed.\n").verdict();
    EXPECT_EQ(root_of(with), "native-abort");
    EXPECT_TRUE(certain(with));
    const Verdict without = Story().dies_by(SIGABRT).stderr_hidden().verdict();
    EXPECT_EQ(without.root.confidence, Confidence::likely);
    EXPECT_FALSE(without.missing.empty());
}

TEST(HeapCorruption, NeedsGlibcsWordsAndTheAbort) {
    for (const char* words : {"free(): invalid pointer\n", "double free or corruption (out)\n",
                              "malloc(): corrupted top size\n"}) {
        const Verdict v = Story().dies_by(SIGABRT).says(words).verdict();
        EXPECT_EQ(root_of(v), "heap-corruption") << words;
        EXPECT_TRUE(certain(v));
    }
    EXPECT_EQ(root_of(Story().exits(1).says("free(): invalid pointer\n").verdict()), "exit-called");
}

}  // namespace
}  // namespace holdfast::testing
