#include "supervise/process_end.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/unique_fd.h"
#include "sources/process_dir.h"

namespace holdfast {
namespace {

// A child that ends as told when it is let go, watched only through its pidfd.
std::optional<int> end_of_child(void (*die)()) {
    int gate[2];
    if (::pipe(gate) != 0) return std::nullopt;
    const UniqueFd reader(gate[0]);
    UniqueFd writer(gate[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        char go = 0;
        if (::read(reader.get(), &go, 1) == 1) die();
        ::_exit(99);
    }
    const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    const auto roots = sources::Roots::open();
    const auto dir = sources::ProcessDir::open(*roots, child);
    EXPECT_EQ(::write(writer.get(), "g", 1), 1);
    pollfd wait{pidfd.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&wait, 1, 10000), 1);
    const auto end = end_of_process(pidfd.get(), dir->fd());
    ::waitpid(child, nullptr, 0);
    return end;
}

TEST(ProcessEnd, TellsTheExitStatusBeforeTheParentReaps) {
    const auto end = end_of_child([] { ::_exit(7); });
    ASSERT_TRUE(end);
    EXPECT_TRUE(WIFEXITED(*end));
    EXPECT_EQ(WEXITSTATUS(*end), 7);
}

TEST(ProcessEnd, TellsTheSignal) {
    const auto end = end_of_child([] { ::raise(SIGKILL); });
    ASSERT_TRUE(end);
    EXPECT_TRUE(WIFSIGNALED(*end));
    EXPECT_EQ(WTERMSIG(*end), SIGKILL);
}

TEST(ProcessEnd, SaysNothingOfTheLiving) {
    const auto roots = sources::Roots::open();
    const auto self = sources::ProcessDir::open(*roots, ::getpid());
    const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    EXPECT_EQ(end_of_process(pidfd.get(), self->fd()), std::nullopt);
}

}  // namespace
}  // namespace holdfast
