#include "base/child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <string>
#include <vector>

#include "base/pipe.h"

namespace holdfast {
namespace {

TEST(Child, EndsWithWhatItsWorkReturns) {
    auto child = Child::start([] { return 7; });
    ASSERT_TRUE(child.ok());
    const auto status = child->wait();
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(WEXITSTATUS(*status), 7);
}

TEST(Child, NoneCanNeitherBeSignalledNorWaitedFor) {
    Child none;
    EXPECT_FALSE(none);
    EXPECT_FALSE(none.send(0));
    EXPECT_FALSE(none.queue(0, nullptr));
    EXPECT_EQ(none.wait(), std::nullopt);
    EXPECT_EQ(none.wait_if_ended(), std::nullopt);
    EXPECT_TRUE(none.has_ended());
    none.end();
}

TEST(Child, OneWhoseWorkThrowsEndsAndDoesNotGoOnAsItsParent) {
    const pid_t us = ::getpid();
    auto child = Child::start([]() -> int { throw std::bad_alloc(); });
    ASSERT_EQ(::getpid(), us);
    ASSERT_TRUE(child.ok());
    const auto status = child->wait();
    ASSERT_TRUE(status.has_value());
    ASSERT_TRUE(WIFEXITED(*status));
    EXPECT_EQ(WEXITSTATUS(*status), 1);
}

std::string all_of(int fd) {
    std::string text;
    char byte = 0;
    while (::read(fd, &byte, 1) == 1) text += byte;
    return text;
}

TEST(Child, ASpawnedProgramHasTheDescriptorsAndTheEnvironmentItWasGiven) {
    auto out = Pipe::make();
    auto kept = Pipe::make();
    ASSERT_TRUE(out.ok());
    ASSERT_TRUE(kept.ok());
    const std::string number = std::to_string(kept->writer.get());
    const std::vector<std::string> environment{"ANSWER=42"};
    auto child = Child::spawn({"/bin/sh", "-c", "cat; echo $ANSWER; echo kept >&" + number},
                              {{STDIN_FILENO, Child::Descriptor::null},
                               {STDOUT_FILENO, out->writer.get()},
                               {kept->writer.get(), kept->writer.get()}},
                              &environment);
    ASSERT_TRUE(child.ok());
    out->writer.reset();
    kept->writer.reset();
    EXPECT_EQ(all_of(out->reader.get()), "42\n");
    EXPECT_EQ(all_of(kept->reader.get()), "kept\n");
    EXPECT_EQ(child->wait(), 0);
}

TEST(Child, WhyAProgramCouldNotBeSpawnedIsSaid) {
    EXPECT_EQ(Child::spawn({"/nowhere/program"}, {}).error().number, ENOENT);
    EXPECT_EQ(Child::spawn({}, {}).error().number, EINVAL);
}

TEST(Child, OneThatWasMovedFromOrWaitedForDoesNothing) {
    auto pipe = Pipe::make();
    ASSERT_TRUE(pipe.ok());
    auto child = Child::start([&] {
        pipe->writer.reset();
        char byte = 0;
        return ::read(pipe->reader.get(), &byte, 1) == 0 ? 0 : 1;
    });
    ASSERT_TRUE(child.ok());
    Child moved = std::move(child).value();
    EXPECT_EQ(child->pid(), 0);
    EXPECT_FALSE(child->send(SIGKILL));
    EXPECT_FALSE(moved.has_ended());
    pipe->writer.reset();
    EXPECT_EQ(moved.wait(), 0);
    EXPECT_FALSE(moved.send(0));
    EXPECT_EQ(moved.wait(), std::nullopt);
}

TEST(Child, AChangeIsSeenBeforeItIsTaken) {
    auto child = Child::start([] { return 3; });
    ASSERT_TRUE(child.ok());
    while (!child->has_ended()) ::usleep(100);
    const auto change = next_child_change();
    ASSERT_TRUE(change.has_value());
    EXPECT_EQ(change->pid, child->pid());
    EXPECT_TRUE(change->ended());
    EXPECT_EQ(take_child_change(*change), 3 << 8);
    EXPECT_EQ(take_child_change(*change), std::nullopt);
    EXPECT_EQ(next_child_change(), std::nullopt);
    EXPECT_EQ(take_child_change({}), std::nullopt);
}

TEST(ProcessHandle, IsNotOfEverybodyNorOfAnother) {
    const auto yes = [] { return true; };
    EXPECT_FALSE(ProcessHandle::open(-1, yes));
    EXPECT_FALSE(ProcessHandle::open(0, yes));
    EXPECT_FALSE(ProcessHandle::open(1, yes));
    EXPECT_FALSE(ProcessHandle::open(::getpid(), [] { return false; }));
    const auto us = ProcessHandle::open(::getpid(), yes);
    ASSERT_TRUE(us);
    EXPECT_TRUE(us->send(0));
}

}  // namespace
}  // namespace holdfast
