#include "supervise/launch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>

namespace holdfast {
namespace {

int status_of(const std::vector<std::string>& command) {
    auto launched = launch({.command = command});
    EXPECT_TRUE(launched.ok()) << launched.error().text;
    return launched ? launched->child.wait().value_or(-1) : -1;
}

TEST(Launch, TheProgramsStatusIsItsOwn) {
    EXPECT_EQ(WEXITSTATUS(status_of({"/bin/sh", "-c", "exit 42"})), 42);
}

TEST(Launch, PassesArgumentsUntouched) {
    EXPECT_EQ(WEXITSTATUS(status_of({"/bin/sh", "-c", "test \"$1\" = 'a b  ü'", "sh", "a b  ü"})),
              0);
}

TEST(Launch, TellsAMissingProgramFromOneThatMayNotRun) {
    EXPECT_EQ(launch({.command = {"no-such-program-anywhere"}})->exec_error.number, ENOENT);
    EXPECT_EQ(launch({.command = {"/etc/passwd"}})->exec_error.number, EACCES);
    EXPECT_EQ(launch({.command = {"/"}})->exec_error.number, EACCES);
}

TEST(Launch, GivesTheProgramWhatItWouldHaveHadWithoutUs) {
    sigset_t one;
    sigset_t before;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    ::sigprocmask(SIG_SETMASK, &one, &before);
    ::signal(SIGCHLD, SIG_IGN);
    const OwnState state = OwnState::take();
    // Without a shell: some shells reset SIGCHLD.
    for (const char* line : {"SigBlk:.0000000000000200", "SigIgn:.[0-9a-f]*[13579bdf]....$"}) {
        auto launched =
            launch({.command = {"grep", "-q", line, "/proc/self/status"}, .state = &state});
        ASSERT_TRUE(launched.ok());
        EXPECT_EQ(launched->child.wait(), 0) << line;
    }
    state.hand_back();
    ::signal(SIGCHLD, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace holdfast
