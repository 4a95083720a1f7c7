// Settling: the stack becomes text, its memory is erased, and processes do not disturb each other.
#include "evidence/crash_settle.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>

#include "base/unique_fd.h"
#include "native/crash_sample.h"
#include "native/native_text.h"
#include "record/temporary_directory.h"
#include "sources/pid_stat.h"

namespace holdfast {
namespace {

const SettleOptions patient{std::chrono::seconds(60), std::chrono::seconds(60)};

bool erased(const format::Crash& crash) {
    return std::all_of(std::begin(crash.stack), std::end(crash.stack),
                       [](unsigned char byte) { return byte == 0; });
}

void expect_settled(CrashSample& sample) {
    const CrashRecord record = sample.record();
    EXPECT_TRUE(record.unwound);
    EXPECT_TRUE(record.stack.empty());
    EXPECT_TRUE(erased(sample.raw()));
    const NativeStack stack = parse_native_text(record.native);
    ASSERT_FALSE(stack.frames.empty());
    EXPECT_EQ(stack.frames[0].symbol, "sample::Widget<double>::poke(double)");
}

TEST(CrashSettleTest, WritesTheStackAndErasesTheMemory) {
    CrashSample sample("plain", HOLDFAST_CRASH_DEBUG);
    EXPECT_FALSE(erased(sample.raw()));
    const Status done = settle_crashes(sample.box().fd(), patient);
    ASSERT_TRUE(done) << done.error().text;
    expect_settled(sample);
}

TEST(CrashSettleTest, ASecondTimeChangesNothing) {
    CrashSample sample("plain", HOLDFAST_CRASH_DEBUG);
    ASSERT_TRUE(settle_crashes(sample.box().fd(), patient));
    const std::vector<std::byte> before(sample.box().bytes().begin(), sample.box().bytes().end());
    ASSERT_TRUE(settle_crashes(sample.box().fd(), patient));
    EXPECT_TRUE(std::equal(before.begin(), before.end(), sample.box().bytes().begin()));
}

TEST(CrashSettleTest, FinishesWhatAnotherLeftAtTheErasing) {
    CrashSample sample("plain", HOLDFAST_CRASH_DEBUG);
    sample.raw().unwound = 1;
    ASSERT_TRUE(settle_crashes(sample.box().fd(), patient));
    EXPECT_TRUE(erased(sample.raw()));
    EXPECT_EQ(sample.record().native, "");  // a settled record stays as it is
}

TEST(CrashSettleTest, SeveralProcessesAtOnceComeToOneResult) {
    CrashSample sample("plain", HOLDFAST_CRASH_DEBUG);
    const std::string path = "/proc/self/fd/" + std::to_string(sample.box().fd());
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            // Opens the file again: a lock belongs to the open file.
            const UniqueFd own(::open(path.c_str(), O_RDWR | O_CLOEXEC));
            ::_exit(own && settle_crashes(own.get(), patient) ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    expect_settled(sample);
}

TEST(CrashSettleTest, LeavesWhatALivingProcessMayWriteTo) {
    CrashSample sample("plain", HOLDFAST_CRASH_DEBUG);
    const UniqueFd self(::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const auto stat = sources::read_pid_stat(self.get());
    ASSERT_TRUE(stat);
    sample.raw().state = format::CrashState::writing;
    sample.raw().pid = ::getpid();
    sample.raw().start_ticks = stat->start_ticks;
    ASSERT_TRUE(settle_crashes(sample.box().fd(), patient));
    EXPECT_FALSE(sample.record().unwound);
    EXPECT_FALSE(erased(sample.raw()));

    // The process survived and may crash again, into the same slot.
    sample.raw().state = format::CrashState::survived;
    ASSERT_TRUE(settle_crashes(sample.box().fd(), patient));
    EXPECT_FALSE(sample.record().unwound);

    // The same pid, but another process: the writer is dead.
    sample.raw().start_ticks += 1;
    ASSERT_TRUE(settle_crashes(sample.box().fd(), patient));
    expect_settled(sample);
}

TEST(CrashSettleTest, NeverMakesATruncatedFileLonger) {
    CrashSample sample("plain", HOLDFAST_CRASH_DEBUG);
    const TemporaryDirectory folder;
    const std::string path = folder / "crash.box";
    for (const std::size_t size : {std::size_t{5000}, format::crash_slots_offset + 700,
                                   format::crash_slots_offset + sizeof(format::Crash) - 40'000}) {
        const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        ASSERT_EQ(::write(file.get(), sample.box().bytes().data(), size),
                  static_cast<ssize_t>(size));
        const Status done = settle_crashes(file.get(), patient);
        EXPECT_TRUE(done) << done.error().text;
        EXPECT_EQ(std::filesystem::file_size(path), size);
    }
}

TEST(CrashSettleTest, AnythingButABoxIsAnErrorAndUnchanged) {
    const TemporaryDirectory folder;
    const UniqueFd file(::open((folder / "x").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::write(file.get(), "not a box", 9), 9);
    EXPECT_FALSE(settle_crashes(file.get(), patient));
    const UniqueFd directory(::open(folder.path().c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_FALSE(settle_crashes(directory.get(), patient));
}

TEST(CrashSettleTest, ARunWithoutACrashBoxIsInOrder) {
    const TemporaryDirectory folder;
    RunHome home;
    home.candidates.push_back({folder.path(), false});
    const auto run = RunDirectory::create(home, "20261115-042447-123-4242");
    ASSERT_TRUE(run) << run.error().text;
    EXPECT_TRUE(settle_crashes(*run));
    const auto box = CrashBox::create(&*run, {});
    ASSERT_TRUE(box);
    EXPECT_TRUE(settle_crashes(*run));
}

}  // namespace
}  // namespace holdfast
