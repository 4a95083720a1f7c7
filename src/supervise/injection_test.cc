#include "supervise/injection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/exec_target.h"

namespace holdfast {
namespace {

std::string value_of(const std::vector<std::string>& environment, const std::string& name) {
    for (const std::string& entry : environment)
        if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
    return "(absent)";
}

// In the build tree the library is next to the program; there is none next to a test program.
class InjectionTest : public ::testing::Test {
protected:
    const Injection injection_ = Injection::of("/opt/agent.so");
};

TEST_F(InjectionTest, AddsTheLibraryAndTheRun) {
    const char* before[] = {"PATH=/bin", "X=1", nullptr};
    const auto after = injection_.environment(before, "/runs/a b", "/bin/sh");
    EXPECT_EQ(value_of(after, "LD_PRELOAD"), "/opt/agent.so");
    EXPECT_EQ(value_of(after, "HOLDFAST_RUN"), "/runs/a b");
    EXPECT_EQ(value_of(after, "X"), "1");
    EXPECT_EQ(value_of(after, "HOLDFAST_FILTERS"), std::to_string(seccomp_filters()));
    EXPECT_EQ(after.size(), 5U);
}

TEST_F(InjectionTest, KeepsWhatTheUserPreloads) {
    const char* before[] = {"LD_PRELOAD=libjemalloc.so", nullptr};
    EXPECT_EQ(value_of(injection_.environment(before, "/r", "/bin/sh"), "LD_PRELOAD"),
              "/opt/agent.so:libjemalloc.so");
}

TEST_F(InjectionTest, LetsASanitizerComeFirst) {
    const char* before[] = {"LD_PRELOAD=/usr/lib/libasan.so.8", nullptr};
    EXPECT_EQ(value_of(injection_.environment(before, "/r", "/bin/sh"), "LD_PRELOAD"),
              "/usr/lib/libasan.so.8:/opt/agent.so");
}

}  // namespace
}  // namespace holdfast
