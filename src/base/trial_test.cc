#include "base/trial.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

volatile sig_atomic_t told_of_children = 0;

// Keeps every core busy, so that the kernel is slow to reap a child that has released its memory.
class Crowd {
public:
    Crowd() {
        const unsigned cores = std::thread::hardware_concurrency();
        for (unsigned i = 0; i < 2 * cores; ++i)
            busy_.emplace_back([this] {
                while (!over_.load()) continue;
            });
    }
    ~Crowd() { over_ = true; }

private:
    std::atomic<bool> over_{false};
    std::vector<std::jthread> busy_;
};

TEST(Trial, SaysWhetherItCameToItsEnd) {
    EXPECT_TRUE(survives([] {}));
    EXPECT_FALSE(survives([] { std::raise(SIGKILL); }));
}

TEST(Trial, LeavesNoChildAndNoSignal) {
    std::signal(SIGCHLD, [](int) { told_of_children = 1; });
    const Crowd crowd;
    for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(survives([] {}));
        siginfo_t info{};
        ASSERT_EQ(::waitid(P_ALL, 0, &info, WEXITED | WNOHANG), -1) << "round " << i;
        ASSERT_EQ(errno, ECHILD);
    }
    EXPECT_EQ(told_of_children, 0);
    std::signal(SIGCHLD, SIG_DFL);
}

}  // namespace
}  // namespace holdfast
