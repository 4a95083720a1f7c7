// HF413: a crash inside one of two runtimes, or only near it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/crash_story.h"

namespace holdfast::testing {
namespace {

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

}  // namespace
}  // namespace holdfast::testing
