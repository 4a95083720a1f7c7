// The readers of a process's other files: on a fixture, on this process, and on one that ends while
// they read.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "sources/pid_command.h"
#include "sources/pid_fds.h"
#include "sources/pid_figures.h"
#include "sources/process_dir.h"
#include "sources/process_list.h"
#include "sources/test_roots.h"
#include "sources/threads.h"

namespace holdfast::sources {
namespace {

class PidFiles : public testing::Test {
protected:
    Roots roots_ = fixture("machine");
    UniqueFd process_ = process_in(roots_, 42);
    Roots machine_ = machine();
    UniqueFd self_ = process_in(machine_, ::getpid());
};

TEST_F(PidFiles, StatusNamesWhoDebugsIt) {
    EXPECT_EQ(parse_pid_status("Name:\tpython\nTracerPid:\t77\n")->tracer_pid, 77);
    EXPECT_EQ(read_pid_status(self_.get())->tracer_pid.has_value(), true);
}

TEST_F(PidFiles, StatusOfALivingProcess) {
    const auto status = read_pid_status(process_.get());
    ASSERT_TRUE(status.ok()) << status.error().text;
    EXPECT_EQ(status->rss, Bytes::kib(307200));
    EXPECT_EQ(status->rss_peak, Bytes::kib(310000));
    EXPECT_EQ(status->anon, Bytes::kib(300000));
    EXPECT_EQ(status->file, Bytes::kib(5200));
    EXPECT_EQ(status->shmem, Bytes::kib(2000));
    EXPECT_EQ(status->swap, Bytes::kib(16));
    EXPECT_EQ(status->virtual_size, Bytes::kib(3060000));
    EXPECT_EQ(status->virtual_peak, Bytes::kib(3070000));
    EXPECT_EQ(status->threads, 8U);
    EXPECT_EQ(status->uid, 1000U);
    EXPECT_EQ(status->pending_process, 1ULL << (SIGKILL - 1U));
    EXPECT_EQ(status->pending_thread, 0U);
    EXPECT_EQ(status->namespace_pids, (std::vector<int>{42, 7, 1}));
    EXPECT_EQ(status->voluntary_switches, 150U);
    EXPECT_EQ(status->involuntary_switches, 3U);
}

TEST_F(PidFiles, StatusWithoutMemoryIsUnknownNotZero) {
    const auto status = parse_pid_status("Name:\tpython\nState:\tZ (zombie)\nThreads:\t1\n");
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(status->rss, std::nullopt);
    EXPECT_EQ(status->threads, 1U);
    EXPECT_EQ(parse_pid_status("VmRSS:\t99999999999999999999 kB\n")->rss, std::nullopt);
    EXPECT_EQ(parse_pid_status("VmRSS:\t18446744073709551615 kB\n")->rss, std::nullopt);
    EXPECT_EQ(parse_pid_status("VmRSS:\t-1 kB\n")->rss, std::nullopt);
    EXPECT_FALSE(parse_pid_status("").ok());
    EXPECT_FALSE(parse_pid_status("no colon here\n").ok());
}

TEST_F(PidFiles, Io) {
    const auto io = read_pid_io(process_.get());
    ASSERT_TRUE(io.ok());
    EXPECT_EQ(io->read_calls, Bytes{6976});
    EXPECT_EQ(io->written_disk, Bytes{8192});
    EXPECT_TRUE(io->write_count);
    EXPECT_FALSE(parse_pid_io("nothing").ok());
}

TEST(ThreadTurns, AreTwoTimes) {
    const auto turns = parse_thread_turns("5000000 3723236 17\n");
    ASSERT_TRUE(turns.ok());
    EXPECT_EQ(turns->ran, Nanos{5'000'000});
    EXPECT_EQ(turns->waited, Nanos{3'723'236});
    // A kernel that does not count them says zero.
    EXPECT_FALSE(parse_thread_turns("0 0 0\n").ok());
    EXPECT_FALSE(parse_thread_turns("").ok());
    EXPECT_FALSE(parse_thread_turns("1 x").ok());
}

TEST_F(PidFiles, LimitsTellUnlimitedFromUnknown) {
    const auto limits = read_pid_limits(process_.get());
    ASSERT_TRUE(limits.ok());
    EXPECT_TRUE(limits->address_space.known);
    EXPECT_EQ(limits->address_space.soft, 4294967296U);
    EXPECT_EQ(limits->address_space.hard, std::nullopt);
    EXPECT_TRUE(limits->data.known);
    EXPECT_EQ(limits->data.soft, std::nullopt);
    EXPECT_EQ(limits->open_files.soft, 20000U);
    EXPECT_EQ(limits->core.soft, 0U);
    const auto partial = parse_pid_limits("Max open files            16                   64\n");
    ASSERT_TRUE(partial.ok());
    EXPECT_EQ(partial->open_files.hard, 64U);
    EXPECT_FALSE(partial->processes.known);
    EXPECT_FALSE(parse_pid_limits("Max open files  1x 2\n").ok());
    EXPECT_FALSE(parse_pid_limits("").ok());
}

TEST_F(PidFiles, LimitsOfThisProcessAreWhatGetrlimitSays) {
    const auto limits = read_pid_limits(self_.get());
    ASSERT_TRUE(limits.ok());
    rlimit files{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
    EXPECT_EQ(limits->open_files.soft, files.rlim_cur);
}

TEST_F(PidFiles, CommandLine) {
    EXPECT_EQ(*read_pid_cmdline(process_.get()),
              (std::vector<std::string>{"python", "train.py", "--name"}));
    EXPECT_EQ(parse_pid_cmdline(std::string_view("a\0\0b\0", 5)),
              (std::vector<std::string>{"a", "", "b"}));
    EXPECT_EQ(parse_pid_cmdline("nginx: master process"),
              (std::vector<std::string>{"nginx: master process"}));
    EXPECT_TRUE(parse_pid_cmdline("").empty());
    EXPECT_TRUE(parse_pid_cmdline(std::string_view("\0\0\0", 3)).empty());
}

TEST_F(PidFiles, EnvironmentGivesAllowedNamesOnly) {
    constexpr std::array<std::string_view, 3> names{"SLURM_JOB_ID", "EMPTY", "ABSENT"};
    const auto values = read_pid_environ(process_.get(), names);
    ASSERT_TRUE(values.ok());
    ASSERT_EQ(values->size(), 2U);
    EXPECT_EQ((*values)[0].name, "SLURM_JOB_ID");
    EXPECT_EQ((*values)[0].value, "17");  // the first of two counts
    EXPECT_EQ((*values)[1].name, "EMPTY");
    EXPECT_EQ((*values)[1].value, "");
}

TEST_F(PidFiles, ChildrenOfAllThreads) {
    auto children = read_pid_children(process_.get());
    ASSERT_TRUE(children.ok());
    std::sort(children->begin(), children->end());
    EXPECT_EQ(*children, (std::vector<int>{50, 51, 60}));
    EXPECT_FALSE(parse_pid_children("12 x").ok());
    EXPECT_FALSE(parse_pid_children("-5").ok());
    EXPECT_TRUE(parse_pid_children("")->empty());
}

TEST_F(PidFiles, ChildrenOnAKernelWithoutTheFileAreAnError) {
    const UniqueFd process = process_in(roots_, 7);
    EXPECT_EQ(read_pid_children(process.get()).error().number, ENOENT);
}

TEST_F(PidFiles, WaitChannel) {
    EXPECT_EQ(*read_pid_wchan(process_.get()), "futex_do_wait");
    EXPECT_EQ(parse_pid_wchan("0"), "");
    EXPECT_EQ(parse_pid_wchan(""), "");
}

TEST_F(PidFiles, MappingsAreCountedUpToABound) {
    const auto all = count_mappings(process_.get());
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->mappings, 3U);
    EXPECT_TRUE(all->complete);
    const auto some = count_mappings(self_.get(), 1);
    ASSERT_TRUE(some.ok());
    EXPECT_FALSE(some->complete);
}

TEST_F(PidFiles, OpenFilesOfThisProcessAreCounted) {
    const auto before = count_open_files(self_.get());
    ASSERT_TRUE(before.ok()) << before.error().text;
    const UniqueFd one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const UniqueFd two(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(*count_open_files(self_.get()), *before + 2);
}

TEST_F(PidFiles, OpenFilesAreListedWhereTheKernelDoesNotCount) {
    const TemporaryTree tree;
    for (const char* name : {"fd/0", "fd/1", "fd/25"}) tree.put(name, "");
    const UniqueFd process(::open(tree.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    EXPECT_EQ(*count_open_files(process.get()), 3U);
    EXPECT_EQ(*count_open_files(process.get(), 2), 2U);
}

TEST_F(PidFiles, FilesOpenForWritingAreNamed) {
    const TemporaryTree tree;
    tree.put("read.txt", "x");
    const std::string path = tree.path() + "/checkpoint.pt";
    const UniqueFd read(::open((tree.path() + "/read.txt").c_str(), O_RDONLY | O_CLOEXEC));
    const UniqueFd written(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ASSERT_EQ(::write(written.get(), "abc", 3), 3);
    const auto find = [&](const std::vector<WrittenFile>& files) {
        return std::find_if(files.begin(), files.end(),
                            [&](const WrittenFile& file) { return file.fd == written.get(); });
    };
    const auto files = written_files(self_.get(), 1024);
    ASSERT_TRUE(files.ok()) << files.error().text;
    const auto found = find(*files);
    ASSERT_NE(found, files->end());
    EXPECT_EQ(found->path, std::filesystem::canonical(path).string());
    EXPECT_EQ(found->position, 3U);
    EXPECT_FALSE(found->deleted);
    for (const WrittenFile& file : *files) EXPECT_NE(file.fd, read.get());

    std::filesystem::remove(path);
    const auto later = written_files(self_.get(), 1024);
    ASSERT_TRUE(later.ok());
    ASSERT_NE(find(*later), later->end());
    EXPECT_TRUE(find(*later)->deleted);
}

TEST_F(PidFiles, FdinfoFlagsAreOctal) {
    const auto info = parse_fdinfo("pos:\t1214\nflags:\t0100001\nmnt_id:\t27\n");
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->position, 1214U);
    EXPECT_EQ(info->flags & O_ACCMODE, static_cast<unsigned>(O_WRONLY));
    EXPECT_FALSE(parse_fdinfo("pos:\t1\n").ok());
    EXPECT_FALSE(parse_fdinfo("flags:\t99\n").ok());
}

TEST_F(PidFiles, ProcessesAreListedAndTheLargestComeFirst) {
    auto pids = list_processes(roots_);
    ASSERT_TRUE(pids.ok());
    std::sort(pids->begin(), pids->end());
    EXPECT_EQ(*pids, (std::vector<int>{7, 8, 9, 42}));
    EXPECT_EQ(list_processes(roots_, 2)->size(), 2U);
    const auto largest = largest_processes(roots_, 2);
    ASSERT_TRUE(largest.ok());
    ASSERT_EQ(largest->size(), 2U);
    EXPECT_EQ((*largest)[0].pid, 42);
    EXPECT_EQ((*largest)[1].pid, 8);
    EXPECT_EQ(largest_processes(roots_, 10)->size(), 3U);  // without the process that has no memory
}

}  // namespace

// Readers whose process ends while they read.

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
