// What a thread waits for: from the kernel's text, and for threads that really wait.
#include "sources/threads.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "base/unique_fd.h"

namespace holdfast::sources {
namespace {

std::string line(long number, const std::string& arguments) {
    return std::to_string(number) + " " + arguments + " 0x7ffd0000 0x7f120000\n";
}

TEST(ThreadWait, a_lock_without_a_limit_is_told_from_one_with) {
    const auto forever =
        parse_thread_wait(line(SYS_futex, "0x55 0x189 0x0 0x0 0x0 0xffffffff")).value();
    EXPECT_EQ(forever.kind, WaitKind::lock);
    EXPECT_FALSE(forever.timed);
    EXPECT_TRUE(forever.own_lock);
    EXPECT_EQ(forever.address, 0x55U);
    const auto timed =
        parse_thread_wait(line(SYS_futex, "0x55 0x89 0x0 0x7ffc 0x0 0xffffffff")).value();
    EXPECT_TRUE(timed.timed);
    // Semaphores of multiprocessing lie in shared memory: another process may post them.
    const auto shared =
        parse_thread_wait(line(SYS_futex, "0x55 0x109 0x0 0x0 0x0 0xffffffff")).value();
    EXPECT_EQ(shared.kind, WaitKind::lock);
    EXPECT_FALSE(shared.own_lock);
}

TEST(ThreadWait, a_descriptor_is_named) {
    const auto read = parse_thread_wait(line(SYS_read, "0x5 0x7f 0x4 0x0 0x0 0x0")).value();
    EXPECT_EQ(read.kind, WaitKind::read);
    EXPECT_EQ(read.fd, 5);
    EXPECT_EQ(name_of_call(read.call), "read");
}

TEST(ThreadWait, a_poll_ends_by_itself_or_not) {
    const auto forever = parse_thread_wait(line(SYS_ppoll, "0x7f 0x2 0x0 0x0 0x8 0x0")).value();
    EXPECT_EQ(forever.kind, WaitKind::poll);
    EXPECT_FALSE(forever.timed);
    EXPECT_EQ(forever.count, 2U);
    EXPECT_TRUE(parse_thread_wait(line(SYS_ppoll, "0x7f 0x2 0x7ff 0x0 0x8 0x0")).value().timed);
    EXPECT_FALSE(
        parse_thread_wait(line(SYS_epoll_pwait, "0x3 0x7f 0x2 0xffffffff 0x0 0x8")).value().timed);
}

TEST(ThreadWait, other_texts_are_no_waits) {
    EXPECT_EQ(parse_thread_wait("running\n").value().kind, WaitKind::running);
    EXPECT_EQ(parse_thread_wait("-1 0x7ffd 0x7f12\n").value().kind, WaitKind::unknown);
    EXPECT_FALSE(parse_thread_wait(""));
    EXPECT_FALSE(parse_thread_wait("202 0x1 0x2"));
    EXPECT_FALSE(parse_thread_wait("wait"));
}

TEST(ThreadWait, a_thread_that_reads_an_empty_pipe_is_seen_doing_so) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd from(ends[0]);
    UniqueFd to(ends[1]);
    std::thread reader([&] {
        char byte = 0;
        while (::read(from.get(), &byte, 1) < 0) {
        }
    });
    const UniqueFd self(::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::optional<ThreadWait> seen;
    bool readable = true;
    for (int i = 0; i < 10'000 && !seen && readable; ++i) {
        const auto threads = read_threads(self.get(), 100);
        ASSERT_TRUE(threads);
        for (const ThreadSeen& thread : *threads)
            if (thread.wait.kind == WaitKind::read && thread.wait.fd == from.get())
                seen = thread.wait;
        readable = threads->front().wait.kind != WaitKind::unknown;
        ::usleep(1000);
    }
    to.reset();
    reader.join();
    if (!readable) GTEST_SKIP() << "/proc/PID/task/TID/syscall may not be read here";
    ASSERT_TRUE(seen);
    EXPECT_FALSE(seen->timed);
}

TEST(ThreadWait, a_fuse_server_that_owes_an_answer_is_a_filesystem_though_the_sleep_is_light) {
    std::string folder = ::testing::TempDir() + "fuse-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const std::filesystem::path thread = std::filesystem::path(folder) / "task/7";
    std::filesystem::create_directories(thread);
    const std::string zeros =
        " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";
    std::ofstream(thread / "stat") << "7 (python) S 1 7 7 0 -1" << zeros << zeros << "\n";
    std::ofstream(thread / "syscall") << line(SYS_openat, "0x1 0x2 0x0 0x0 0x0 0x0");
    const UniqueFd process(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const auto& [channel, kind] :
         {std::pair{"do_sys_openat2", WaitKind::other}, {"request_wait_answer", WaitKind::disk}}) {
        std::ofstream(thread / "wchan") << channel;
        const auto threads = read_threads(process.get(), 10);
        ASSERT_TRUE(threads);
        ASSERT_EQ(threads->size(), 1U);
        EXPECT_EQ(threads->front().wait.kind, kind) << channel;
    }
    std::filesystem::remove_all(folder);
}

}  // namespace

}  // namespace holdfast::sources
