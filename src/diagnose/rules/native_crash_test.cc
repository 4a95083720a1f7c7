// HF301, HF302, HF306, HF308 and HF309, by the status and by the crash handler's record, and
// decoys.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/crash_story.h"

namespace holdfast::testing {
namespace {

TEST(Segfault, ByTheStatusAloneIsLikely) {
    const Verdict v = Story().dies_by(SIGSEGV).verdict();
    EXPECT_EQ(root_of(v), "segfault");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(Segfault, IsCertainWithTheKernelsLineAndNamesTheLibrary) {
    const Verdict v = Story()
                          .dies_by(SIGSEGV)
                          .logged_segfault(main_pid,
                                           "python[100]: segfault at 0 ip 7f sp 7f error 4 in "
                                           "libfoo.so[7f00+1000] likely on CPU 0")
                          .verdict();
    EXPECT_EQ(root_of(v), "segfault");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("libfoo.so"), std::string::npos) << v.root.summary;
}

TEST(Segfault, TakesThePlaceFromFaulthandlersDump) {
    const Verdict v =
        Story()
            .dies_by(SIGSEGV)
            .says(
                "Fatal Python error: Segmentation fault\n\n"
                "Current thread 0x00007f (most recent call first):\n"
                "  File \"/usr/lib/python3.11/ctypes/__init__.py\", line 9 in string_at\n"
                "  File \"train.py\", line 7 in step\n"
                "  File \"train.py\", line 20 in <module>\n")
            .verdict();
    EXPECT_EQ(root_of(v), "segfault");
    EXPECT_TRUE(certain(v));
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->line, 7);
    ASSERT_EQ(v.python_stack.size(), 1U);
    EXPECT_EQ(v.python_stack[0].frames.front().line, 20);
}

TEST(Segfault, OfAPrintedExceptionIsStillASegfault) {
    const Verdict v = Story().dies_by(SIGSEGV).raises("MemoryError", "").verdict();
    EXPECT_EQ(root_of(v), "segfault");
}

TEST(Signals, OfTheCpuHaveTheirCauses) {
    EXPECT_EQ(root_of(Story().dies_by(SIGILL).verdict()), "illegal-instruction");
    EXPECT_EQ(root_of(Story().dies_by(SIGFPE).verdict()), "arithmetic-trap");
    EXPECT_EQ(root_of(Story().dies_by(SIGABRT).verdict()), "native-abort");
}

TEST(CrashRecord, MakesASegfaultCertainAndNamesItsPlaces) {
    const Verdict v = crashed(SIGSEGV, 1);
    EXPECT_EQ(root_of(v), "segfault");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("foo::bar(int) in libfoo.so"), std::string::npos)
        << v.root.summary;
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->line, 42);
    EXPECT_EQ(v.native_stack.size(), 2U);
    ASSERT_EQ(v.python_stack.size(), 1U);
    EXPECT_EQ(v.python_stack[0].frames.size(), 2U);
}

TEST(CrashRecord, OfAnotherProcessOrSignalOrOneSurvivedSaysNothing) {
    Story other;
    other.dies_by(SIGSEGV).crash(SIGSEGV, 1, 555);
    EXPECT_EQ(other.verdict().root.confidence, Confidence::likely);
    Story another;
    another.dies_by(SIGABRT).crash(SIGSEGV, 1);
    EXPECT_EQ(root_of(another.verdict()), "native-abort");
    EXPECT_TRUE(another.verdict().native_stack.empty());
    EXPECT_FALSE(certain(crashed(SIGSEGV, 1, [](CrashEvidence& c) { c.survived = true; })));
    Story finished;
    finished.exits(0).crash(SIGSEGV, 1);
    EXPECT_EQ(root_of(finished.verdict()), "clean-exit");
}

TEST(StackOverflow, IsAFaultInTheGuardWithFramesThatRepeat) {
    const Verdict v =
        crashed(SIGSEGV, 2, [](CrashEvidence& c) { c.in_stack_guard = c.frames_repeat = true; });
    EXPECT_EQ(root_of(v), "stack-overflow");
    EXPECT_TRUE(certain(v));
    EXPECT_FALSE(contributes(v, "segfault"));
    const Verdict once = crashed(SIGSEGV, 2, [](CrashEvidence& c) { c.in_stack_guard = true; });
    EXPECT_EQ(root_of(once), "stack-overflow");
    EXPECT_EQ(once.root.confidence, Confidence::likely);
}

TEST(StackOverflow, IsNotRepetitionAlone) {
    EXPECT_EQ(root_of(crashed(SIGSEGV, 1, [](CrashEvidence& c) { c.frames_repeat = true; })),
              "segfault");
}

TEST(CrashRecord, NamesAStrippedLibraryAndNotItsCaller) {
    const Verdict v = crashed(SIGSEGV, 1, [](CrashEvidence& c) {
        c.native = {frame("abort", "libc.so.6"), frame("", "libstripped.so"),
                    frame("compute", "features.so")};
    });
    EXPECT_NE(v.root.summary.find("in libstripped.so"), std::string::npos) << v.root.summary;
    EXPECT_EQ(v.root.summary.find("compute"), std::string::npos);
}

TEST(IllegalInstruction, IsCertainWithItsBytes) {
    const Verdict v =
        crashed(SIGILL, 2, [](CrashEvidence& c) { c.instruction = "62 f1 7c 48 10 00"; });
    EXPECT_EQ(root_of(v), "illegal-instruction");
    EXPECT_TRUE(certain(v));
    EXPECT_TRUE(has_evidence(v.root, "AVX-512"));
}

TEST(IllegalInstruction, IsNeverCertainOfATrapTheCompilerPutThere) {
    const Verdict v = crashed(SIGILL, 2, [](CrashEvidence& c) { c.instruction = "0f 0b 48"; });
    EXPECT_EQ(root_of(v), "illegal-instruction");
    EXPECT_FALSE(certain(v));
    EXPECT_NE(v.root.summary.find("trap instruction"), std::string::npos) << v.root.summary;
}

TEST(Segfault, ThatTheProgramRaisedItselfIsNotCalledAFault) {
    const Verdict v = crashed(SIGSEGV, -6, [](CrashEvidence& c) { c.sender_pid = c.pid; });
    EXPECT_EQ(root_of(v), "segfault");
    EXPECT_FALSE(certain(v));
    EXPECT_NE(v.root.summary.find("raised the signal itself"), std::string::npos);
}

TEST(ArithmeticTrap, IsCertainWithTheRecord) {
    const Verdict v = crashed(SIGFPE, 1);
    EXPECT_EQ(root_of(v), "arithmetic-trap");
    EXPECT_TRUE(certain(v));
}

TEST(NativeRace, NeedsTwoThreadsInTheLibraryThatCrashed) {
    const Verdict v = crashed(SIGSEGV, 1, [](CrashEvidence& c) { c.shared = {{c.library, 2}}; });
    EXPECT_EQ(root_of(v), "native-race");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    EXPECT_EQ(end_of(v), "segfault");
    EXPECT_EQ(root_of(crashed(SIGSEGV, 1,
                              [](CrashEvidence& c) {
                                  c.shared = {{"/v/libbar.so", 4}};
                              })),
              "segfault");
    EXPECT_EQ(root_of(crashed(SIGSEGV, 1,
                              [](CrashEvidence& c) {
                                  c.library = "/v/libgomp.so.1";
                                  c.shared = {{c.library, 8}};
                              })),
              "segfault");
}

TEST(CrashRecord, OfAWorkerIsTheAnswerWithItsStacks) {
    Story story;
    story.exits(1)
        .raises("RuntimeError", "DataLoader worker (pid 201) is killed by signal: Segmentation")
        .child(201)
        .child_dies(201, SIGSEGV, 9500ms);
    story.crash(SIGSEGV, 1, 201).time = 9400ms;
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "segfault");
    EXPECT_EQ(v.process.pid, 201);
    EXPECT_EQ(v.native_stack.size(), 2U);
}

}  // namespace
}  // namespace holdfast::testing
