#include "supervise/relay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
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

std::size_t in_pipe(int fd) {
    int count = 0;
    return ::ioctl(fd, FIONREAD, &count) == 0 ? static_cast<std::size_t>(count) : 0;
}

TEST_F(RelayIntoPipe, ShortPiecesShareAPageOfTheReadersPipe) {
    std::string all;
    for (int i = 0; i < 100; ++i) {
        write("line\n");
        EXPECT_TRUE(relay_->flush());
        all += "line\n";
        ASSERT_EQ(in_pipe(ends_[0]), all.size());
    }
    EXPECT_EQ(read(all.size()), all);
}

TEST_F(RelayIntoPipe, APipeIsFilledToItsLastByte) {
    const auto room = static_cast<std::size_t>(::fcntl(ends_[1], F_GETPIPE_SZ));
    std::string all;
    while (all.size() < room) {
        const std::string piece(std::min<std::size_t>(3001, room - all.size()), 'x');
        write(piece);
        EXPECT_TRUE(relay_->flush());
        all += piece;
        ASSERT_EQ(in_pipe(ends_[0]), all.size());
    }
    EXPECT_EQ(read(room), all);
}

TEST_F(RelayIntoPipe, NothingIsLostOrDoubledWhoeverIsKilledWhen) {
    std::string all;
    std::string seen;
    for (int i = 0; i < 300; ++i) {
        const std::string piece =
            "piece " + std::to_string(i) + std::string(static_cast<std::size_t>(i * 37 % 900), '.');
        write(piece);
        all += piece;
        if (i % 3 == 0) {
            ASSERT_GT(relay_->pid(), 1);
            ::kill(relay_->pid(), SIGKILL);
            int status = 0;
            ASSERT_EQ(::waitpid(relay_->pid(), &status, 0), relay_->pid());
            relay_->on_end(status);
        }
        if (i % 20 == 19) seen += read(in_pipe(ends_[0]));
    }
    seen += read(all.size() - seen.size());
    EXPECT_EQ(seen, all);
    EXPECT_TRUE(relay_->flush());
    EXPECT_EQ(in_pipe(ends_[0]), 0U);
}

TEST_F(RelayIntoPipe, AnotherTakesOverWhenOneIsKilled) {
    write("before ");
    EXPECT_EQ(read(7), "before ");
    const pid_t first = relay_->pid();
    ::kill(first, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(first, &status, 0), first);
    write("between ");  // only we read: the pipe keeps it
    relay_->on_end(status);
    EXPECT_NE(relay_->pid(), first);
    write("after");
    EXPECT_EQ(read(13), "between after");
}

TEST_F(RelayIntoPipe, NobodyWaitsForTheReaderOfAProgramWhoseWritesDidNotWait) {
    const int writer = relay_->writer();
    ASSERT_EQ(::fcntl(writer, F_SETFL, O_WRONLY | O_NONBLOCK), 0);
    const std::string block(4096, 'x');
    std::size_t size = 0;
    while (size < 2 * static_cast<std::size_t>(::fcntl(ends_[1], F_GETPIPE_SZ)))
        if (const ssize_t put = ::write(writer, block.data(), block.size()); put > 0)
            size += static_cast<std::size_t>(put);
    relay_->program_ended();
    EXPECT_FALSE(relay_->flush());
    EXPECT_EQ(read(size), std::string(size, 'x'));
    EXPECT_TRUE(relay_->flush());
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
