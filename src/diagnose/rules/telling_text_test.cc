// Causes that a message decides, and messages that decide nothing.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/crash_story.h"
#include "knowledge/telling_lines.h"

namespace holdfast::testing {
namespace {

TEST(NativeAbort, TakesTheWordsThatNobodyHadRead) {
    const Verdict v = crashed(SIGABRT, -6, [](CrashEvidence& c) {
        c.unread =
            "OMP: Error #15: Initializing libiomp5.so, but found libomp.so already "
            "initialized.\n";
    });
    EXPECT_EQ(root_of(v), "openmp-duplicate");
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

}  // namespace
}  // namespace holdfast::testing
