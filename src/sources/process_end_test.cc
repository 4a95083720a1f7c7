// How the readers meet a process that ends under them.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sources/pid_cmdline.h"
#include "sources/pid_status.h"
#include "sources/process_dir.h"
#include "sources/test_roots.h"

namespace holdfast::sources {
namespace {

class ProcessEnd : public testing::Test {
protected:
    void SetUp() override {
        child_ = ::fork();
        ASSERT_GE(child_, 0);
        if (child_ == 0)
            for (;;) ::pause();
        auto process = ProcessDir::open(roots_, child_);
        ASSERT_TRUE(process.ok());
        process_.emplace(std::move(*process));
        ASSERT_TRUE(process_->stat().ok());
    }
    void TearDown() override {
        if (child_ > 0) reap();
    }
    void kill_without_reaping() {
        ::kill(child_, SIGKILL);
        siginfo_t info{};
        ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOWAIT), 0);
    }
    void reap() {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
        child_ = -1;
    }

    Roots roots_ = machine();
    pid_t child_ = -1;
    std::optional<ProcessDir> process_;
};

TEST_F(ProcessEnd, AZombieStillTellsItsEndButHasNoMemory) {
    kill_without_reaping();
    const auto stat = process_->stat();
    ASSERT_TRUE(stat.ok()) << stat.error().text;
    EXPECT_EQ(stat->state, 'Z');
    ASSERT_TRUE(stat->exit_code.has_value());
    EXPECT_EQ(*stat->exit_code, SIGKILL);
    const auto status = read_pid_status(process_->fd());
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(status->rss, std::nullopt);
    EXPECT_EQ(status->uid, ::getuid());
    EXPECT_EQ(process_->statm()->rss, Bytes{0});
    EXPECT_TRUE(read_pid_cmdline(process_->fd())->empty());
}

TEST_F(ProcessEnd, OnceReapedEveryReadFailsEvenIfThePidIsGivenAgain) {
    ASSERT_TRUE(process_->statm().ok());
    reap();
    EXPECT_EQ(process_->stat().error().number, ESRCH);
    EXPECT_EQ(process_->statm().error().number, ESRCH);
    EXPECT_FALSE(read_pid_status(process_->fd()).ok());
}

}  // namespace
}  // namespace holdfast::sources
