#include "supervise/bystander.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace holdfast {
namespace {

Child one_that_waits() {
    auto child = Child::start([] {
        for (;;) ::pause();
        return 0;
    });
    return std::move(child).value();
}

TEST(Errands, NoneIsLeftAfterTheEndOfAll) {
    Errands errands;
    errands.add(one_that_waits());
    errands.add(one_that_waits());
    errands.add(Child());
    errands.end_all();
    EXPECT_FALSE(next_child_change());
}

TEST(Errands, OneThatWasWaitedForElsewhereIsLeftAlone) {
    Errands errands;
    Child first = one_that_waits();
    const pid_t pid = first.pid();
    errands.add(std::move(first));
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
    errands.forget(pid);
    errands.end_all();
    EXPECT_FALSE(next_child_change());
}

}  // namespace

}  // namespace holdfast
