// HF301 to HF310 by the crash handler's record, and decoys for them.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

Verdict crashed(int signal, int code, void (*change)(CrashEvidence&) = nullptr) {
    Story story;
    CrashEvidence& crash = story.dies_by(signal).crash(signal, code);
    if (change != nullptr) change(crash);
    return story.verdict();
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

TEST(CrashRecord, OfASignalThatWasSentIsAKill) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
        Story story;
        CrashEvidence& crash = story.dies_by(signal).crash(signal, 0);
        crash.sender_pid = 77;
        crash.sender_uid = 1000;
        const Verdict v = story.verdict();
        EXPECT_EQ(root_of(v), "killed") << signal;
        EXPECT_NE(v.root.summary.find("pid 77"), std::string::npos) << v.root.summary;
    }
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

TEST(NativeAbort, TakesTheWordsThatNobodyHadRead) {
    const Verdict v = crashed(SIGABRT, -6, [](CrashEvidence& c) {
        c.unread =
            "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already "
            "initialized.\n";
    });
    EXPECT_EQ(root_of(v), "openmp-duplicate");
}

NativeFrame frame(std::string symbol, std::string library) {
    NativeFrame made;
    made.symbol = std::move(symbol);
    made.library = std::move(library);
    return made;
}

TEST(RuntimeClash, IsACrashInsideOneOfTwo) {
    const Verdict v = crashed(SIGSEGV, 1, [](CrashEvidence& c) {
        c.runtimes = {"libiomp5.so", "libgomp.so.1"};
        c.native = {frame("memcpy", "libc.so.6"), frame("", "libgomp.so.1"),
                    frame("outlined", "features.so"), frame("", "libiomp5.so")};
    });
    EXPECT_EQ(root_of(v), "runtime-clash");
    EXPECT_NE(v.root.summary.find("crashed inside libgomp.so.1"), std::string::npos);
}

TEST(RuntimeClash, IsNotTheCrashOfCodeThatOneOfThemCalled) {
    const Verdict v = crashed(SIGSEGV, 1, [](CrashEvidence& c) {
        c.runtimes = {"libiomp5.so", "libomp.so.5"};
        c.native = {frame("outlined", "rows.so"), frame("", "libomp.so.5")};
    });
    EXPECT_EQ(root_of(v), "segfault");
}

TEST(CrashRecord, NamesAStrippedLibraryAndNotItsCaller) {
    const Verdict v = crashed(SIGSEGV, 1, [](CrashEvidence& c) {
        c.native = {frame("abort", "libc.so.6"), frame("", "libstripped.so"),
                    frame("compute", "features.so")};
    });
    EXPECT_NE(v.root.summary.find("in libstripped.so"), std::string::npos) << v.root.summary;
    EXPECT_EQ(v.root.summary.find("compute"), std::string::npos);
}

TEST(CrashRecord, BlamesNoLibraryThatOnlyCalledPython) {
    const Verdict v = crashed(SIGABRT, -6, [](CrashEvidence& c) {
        c.native = {frame("abort", "libc.so.6"), frame("os_abort", "python3.11"),
                    frame("_PyEval_EvalFrameDefault", "python3.11"),
                    frame("task_step_impl", "_asyncio.cpython-311-x86_64-linux-gnu.so")};
    });
    EXPECT_EQ(v.root.summary.find("_asyncio"), std::string::npos) << v.root.summary;
}

TEST(FatalPython, IsReadFromTheUnreadWords) {
    const Verdict v = crashed(SIGABRT, -6, [](CrashEvidence& c) {
        c.unread = "Fatal Python error: none_dealloc: deallocating None\n";
    });
    EXPECT_EQ(root_of(v), "fatal-python-error");
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

TEST(BusError, OfALostPageIsLikelyAndOfBrokenMemoryCertain) {
    const Verdict lost = crashed(SIGBUS, 2);
    EXPECT_EQ(root_of(lost), "mapped-file-gone");
    EXPECT_EQ(lost.root.confidence, Confidence::likely);
    const Verdict broken = crashed(SIGBUS, 4);
    EXPECT_EQ(root_of(broken), "ram-errors");
    EXPECT_TRUE(certain(broken));
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
