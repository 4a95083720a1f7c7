#include "supervise/launch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace holdfast {
namespace {

int status_of(const std::vector<std::string>& command) {
    const auto pid = launch({command, {}, -1, -1, {}});
    EXPECT_TRUE(pid.ok()) << pid.error().text;
    int status = 0;
    if (pid) ::waitpid(*pid, &status, 0);
    return status;
}

TEST(Launch, TheProgramsStatusIsItsOwn) {
    EXPECT_EQ(WEXITSTATUS(status_of({"/bin/sh", "-c", "exit 42"})), 42);
}

TEST(Launch, PassesArgumentsUntouched) {
    EXPECT_EQ(WEXITSTATUS(status_of({"/bin/sh", "-c", "test \"$1\" = 'a b  ü'", "sh", "a b  ü"})),
              0);
}

TEST(Launch, TellsAMissingProgramFromOneThatMayNotRun) {
    EXPECT_EQ(launch({{"no-such-program-anywhere"}, {}, -1, -1, {}}).error().number, ENOENT);
    EXPECT_EQ(launch({{"/etc/passwd"}, {}, -1, -1, {}}).error().number, EACCES);
    EXPECT_EQ(launch({{"/"}, {}, -1, -1, {}}).error().number, EACCES);
}

TEST(Launch, GivesTheProgramTheMaskItWasMeantToHave) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    sigset_t none;
    sigemptyset(&none);
    const auto pid =
        launch({{"/bin/sh", "-c", "grep -q 'SigBlk:.0000000000000000' /proc/self/status"},
                none,
                -1,
                -1,
                {}});
    int status = -1;
    if (pid) ::waitpid(*pid, &status, 0);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace holdfast
