// HF301 to HF310, the texts of HF4xx, and decoys for them.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "knowledge/telling_lines.h"

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

TEST(Signals, OfOtherKindsAreKilledWithoutCertainty) {
    const Verdict v = Story().dies_by(SIGUSR1).verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_EQ(v.root.confidence, Confidence::unknown);
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

TEST(TellingText, NamesCausesOfTheCatalogue) {
    for (const TellingLine& line : telling_lines())
        EXPECT_TRUE(CauseId::find(line.cause)) << line.cause;
}

TEST(TellingText, CountsBeforeTheDeathThatFits) {
    const char* omp =
        "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.\n"
        "OMP: Hint This means that multiple copies of the OpenMP runtime have been linked.\n";
    EXPECT_EQ(root_of(Story().dies_by(SIGABRT).says(omp).verdict()), "openmp-duplicate");
    EXPECT_EQ(root_of(Story().dies_by(SIGSEGV).says(omp).verdict()), "segfault");
    EXPECT_EQ(root_of(Story().exits(0).says(omp).verdict()), "clean-exit");
    EXPECT_EQ(root_of(Story()
                          .exits(1)
                          .raises("ImportError",
                                  "libfoo.so.1: cannot open shared object file: No such file")
                          .verdict()),
              "library-missing");
}

TEST(TellingText, PrintedBeforeAChosenExitProvesNothing) {
    const char* cuda = "RuntimeError: CUDA error: device-side assert triggered\n";
    EXPECT_EQ(root_of(Story().exits(3).says(cuda).verdict()), "exit-called");
    // But a library that prints this and exits proves it.
    EXPECT_EQ(root_of(Story().exits(2).says("Intel MKL FATAL ERROR: Cannot load.\n").verdict()),
              "mkl-broken");
}

TEST(TellingText, OfAnEmulatorStandsBeforeTheSignalItRaises) {
    const char* qemu = "qemu: uncaught target signal 11 (Segmentation fault) - core dumped\n";
    EXPECT_EQ(root_of(Story().dies_by(SIGSEGV).says(qemu).verdict()), "emulated-cpu");
    EXPECT_EQ(root_of(Story().exits(139).says(qemu).verdict()), "emulated-cpu");
    EXPECT_EQ(root_of(Story().exits(0).says(qemu).verdict()), "clean-exit");
}

TEST(BusError, IsCertainWhereTheMappedFileLiesOnTheFullDisk) {
    Story story;
    story.dies_by(SIGBUS).disk("/data", Bytes::gib(10), Bytes::kib(4));
    story.crash(SIGBUS, 2).mapped_file = "/data/features.npy";
    EXPECT_EQ(root_of(story.verdict()), "disk-full-mapping");
    EXPECT_TRUE(certain(story.verdict()));
    story.evidence().crashes[0].mapped_file = "/home/features.npy";
    EXPECT_EQ(root_of(story.verdict()), "mapped-file-gone");
}

TEST(BusError, OnAFullDiskIsAttributedToIt) {
    const Verdict v =
        Story().dies_by(SIGBUS).disk("/data", Bytes::gib(10), Bytes::kib(4)).verdict();
    EXPECT_EQ(root_of(v), "disk-full-mapping");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

}  // namespace
}  // namespace holdfast::testing
