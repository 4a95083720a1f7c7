// HF908: the server asked for it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

Story asked(Nanos when) {
    Story story;
    story.agent().notes.push_back({NoteEvidence::Kind::shutdown_request, when, 1, 0, ""});
    return story;
}

TEST(ShutDown, IsWhatTheServerAskedFor) {
    const Verdict clean = asked(9s).exits(0).verdict();
    EXPECT_EQ(root_of(clean), "shut-down");
    EXPECT_EQ(clean.outcome, Outcome::finished);
    EXPECT_FALSE(contributes(clean, "clean-exit"));
    const Verdict killed = asked(9s).dies_by(SIGTERM).verdict();
    EXPECT_EQ(root_of(killed), "shut-down");
    EXPECT_EQ(killed.outcome, Outcome::died);
}

TEST(ShutDown, IsAlsoWhereLibzmqGaveUpOverThePipesOfAnEndingKernel) {
    constexpr auto words = "Assertion failed: pfd.revents & POLLIN (src/signaler.cpp:238)\n";
    const Verdict fell = asked(9s).dies_by(SIGABRT).says(words).verdict();
    EXPECT_EQ(root_of(fell), "shut-down");
    EXPECT_FALSE(contributes(fell, "native-abort"));
    EXPECT_EQ(root_of(asked(9s).dies_by(SIGABRT).says("terminate called\n").verdict()),
              "native-abort");
    EXPECT_EQ(root_of(Story().dies_by(SIGABRT).says(words).verdict()), "native-abort");
}

TEST(ShutDown, IsNotACrashAnOomKillOrARequestLongPast) {
    EXPECT_EQ(root_of(asked(9s).dies_by(SIGSEGV).verdict()), "segfault");
    Story oom = asked(9s);
    oom.dies_by(SIGKILL).held(main_pid, Bytes::mib(480)).container_oom();
    EXPECT_EQ(root_of(oom.verdict()), "cgroup-oom");
    Story old = asked(1s);
    old.exits(0).evidence().end_time = 1000s;
    EXPECT_EQ(root_of(old.verdict()), "clean-exit");
}

}  // namespace
}  // namespace holdfast::testing
