#include "supervise/relay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <csignal>
#include <string>

#include "record/box_reader.h"

namespace holdfast {
namespace {

class RelayIntoPipe : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
        auto box = OutputBox::create(nullptr, {});
        ASSERT_TRUE(box.ok());
        box_.emplace(std::move(box).value());
        auto relay = Relay::start(*box_, ends_[1]);
        ASSERT_TRUE(relay.ok());
        relay_.emplace(std::move(relay).value());
    }
    void TearDown() override {
        for (const int fd : ends_)
            if (fd >= 0) ::close(fd);
    }
    void write(std::string_view text) const {
        ASSERT_EQ(::write(relay_->writer(), text.data(), text.size()),
                  static_cast<ssize_t>(text.size()));
    }
    std::string read(std::size_t size) const {
        std::string text(size, '\0');
        std::size_t have = 0;
        while (have < size) {
            const ssize_t got = ::read(ends_[0], text.data() + have, size - have);
            if (got <= 0) break;
            have += static_cast<std::size_t>(got);
        }
        text.resize(have);
        return text;
    }
    std::string kept() const {
        auto reader = BoxReader::from_fd(box_->fd(), format::BoxKind::output);
        return reader ? reader->output().text : "unreadable";
    }
    int ends_[2] = {-1, -1};
    std::optional<OutputBox> box_;
    std::optional<Relay> relay_;
};

TEST_F(RelayIntoPipe, HandsOnEveryByteAndKeepsThem) {
    write("loss nan\n");
    EXPECT_EQ(read(9), "loss nan\n");
    relay_->flush();
    EXPECT_EQ(kept(), "loss nan\n");
}

TEST_F(RelayIntoPipe, AfterFlushEverythingIsOnItsWay) {
    const std::string block(32000, 'x');
    write(block);
    relay_->flush();
    pollfd ready{ends_[0], POLLIN, 0};
    ASSERT_EQ(::poll(&ready, 1, 0), 1);
    EXPECT_EQ(read(block.size()), block);
}

TEST_F(RelayIntoPipe, AnotherTakesOverWhenOneIsKilled) {
    write("before ");
    EXPECT_EQ(read(7), "before ");
    const pid_t first = relay_->pid();
    ::kill(first, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(first, &status, 0), first);
    write("between ");  // no reader but us: the pipe keeps it
    relay_->on_end(status);
    EXPECT_NE(relay_->pid(), first);
    write("after");
    EXPECT_EQ(read(13), "between after");
}

TEST_F(RelayIntoPipe, ABrokenPipeReachesTheWriter) {
    ::close(ends_[0]);
    ends_[0] = -1;
    int status = 0;
    ASSERT_EQ(::waitpid(relay_->pid(), &status, 0), relay_->pid());
    relay_->on_end(status);
    ::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::write(relay_->writer(), "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
}

}  // namespace
}  // namespace holdfast
