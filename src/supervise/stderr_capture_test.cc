#include "supervise/stderr_capture.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>

#include "base/unique_fd.h"

namespace holdfast {
namespace {

StreamFacts open_stream() {
    StreamFacts facts;
    facts.open = true;
    return facts;
}

TEST(Capture, APipeIsRelayed) {
    StreamFacts pipe = open_stream();
    pipe.blocking_pipe = true;
    EXPECT_EQ(plan_capture(pipe), StderrCapture::relay);
}

TEST(Capture, ATerminalStaysATerminal) {
    StreamFacts terminal = open_stream();
    terminal.terminal = true;
    EXPECT_EQ(plan_capture(terminal), StderrCapture::terminal);
}

TEST(Capture, AFileIsReadAfterwardsNotRelayed) {
    StreamFacts file = open_stream();
    file.regular_file = true;
    EXPECT_EQ(plan_capture(file), StderrCapture::read_file);
}

TEST(Capture, WhatAPipeCannotStandForIsLeftAlone) {
    EXPECT_EQ(plan_capture(open_stream()), StderrCapture::none);
    for (const char* device : {"/dev/null", "/dev/full"}) {
        const UniqueFd file(::open(device, O_WRONLY));
        EXPECT_EQ(plan_capture(StreamFacts::of(file.get())), StderrCapture::none) << device;
    }
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    EXPECT_EQ(plan_capture(StreamFacts::of(ends[0])), StderrCapture::none);
    ::close(ends[0]);
    ::close(ends[1]);
    for (const int flags : {O_NONBLOCK, O_DIRECT}) {
        ASSERT_EQ(::pipe2(ends, flags), 0);
        EXPECT_EQ(plan_capture(StreamFacts::of(ends[1])), StderrCapture::none) << flags;
        ::close(ends[0]);
        ::close(ends[1]);
    }
}

TEST(Capture, WhatCanBeReadFromIsNotReplaced) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const UniqueFd reader(ends[0]), writer(ends[1]);
    const std::string name = "/proc/self/fd/" + std::to_string(ends[1]);
    const UniqueFd both(::open(name.c_str(), O_RDWR));
    EXPECT_EQ(plan_capture(StreamFacts::of(both.get())), StderrCapture::none);
    EXPECT_EQ(plan_capture(StreamFacts::of(writer.get())), StderrCapture::relay);
}

TEST(Capture, AClosedStderrStaysClosed) {
    EXPECT_EQ(plan_capture(StreamFacts{}), StderrCapture::none);
}

TEST(Capture, FindsEveryWayIntoAPipeThatTheProgramWouldHave) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const UniqueFd copy(::dup(ends[1]));
    const UniqueFd private_copy(::fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
    EXPECT_EQ(writers_of_same_pipe(ends[1]), (std::vector<int>{ends[1], copy.get()}));
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace

}  // namespace holdfast
