#include "sources/pid_stat.h"

#include <unistd.h>

#include <string>

#include "sources/process_dir.h"
#include "sources/test_roots.h"

namespace holdfast::sources {
namespace {

// The line after "PID (name) ".
const std::string tail =
    "S 7 42 7 34816 42 4194304 1000 0 25 0 150 50 0 0 20 0 8 0 107935 3133440000 76800 "
    "18446744073709551615 1 2 3 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 1 2 3 4 5 6 7 9\n";

TEST(PidStat, ReadsTheFieldsThatMatter) {
    const auto stat = parse_pid_stat("42 (python) " + tail, Bytes{4096});
    ASSERT_TRUE(stat.ok()) << stat.error().text;
    EXPECT_EQ(stat->pid, 42);
    EXPECT_EQ(stat->comm, "python");
    EXPECT_EQ(stat->state, 'S');
    EXPECT_EQ(stat->ppid, 7);
    EXPECT_EQ(stat->pgrp, 42);
    EXPECT_EQ(stat->session, 7);
    EXPECT_EQ(stat->tty, 34816);
    EXPECT_EQ(stat->flags, 4194304U);
    EXPECT_FALSE(is_exiting(*stat));
    EXPECT_EQ(stat->minor_faults, 1000U);
    EXPECT_EQ(stat->major_faults, 25U);
    EXPECT_EQ(stat->cpu_time, std::chrono::seconds(2));
    EXPECT_EQ(stat->threads, 8U);
    EXPECT_EQ(stat->start_ticks, 107935U);
    EXPECT_EQ(stat->virtual_size, Bytes{3133440000});
    EXPECT_EQ(stat->rss, Bytes::mib(300));
    EXPECT_EQ(stat->exit_code, 9);
}

TEST(PidStat, KnowsWhoIsAboutToExit) {
    std::string exiting = tail;
    exiting.replace(exiting.find("4194304"), 7, "4194316");
    const auto stat = parse_pid_stat("42 (python) " + exiting);
    ASSERT_TRUE(stat.ok());
    EXPECT_TRUE(is_exiting(*stat));
}

TEST(PidStat, ANameMayHoldParenthesesAndBlanks) {
    for (const std::string name : {"(sd-pam)", "py (a) b", ") S 1 1 1", "", "a\nb", ")", "("}) {
        const auto stat = parse_pid_stat("42 (" + name + ") " + tail);
        ASSERT_TRUE(stat.ok()) << name;
        EXPECT_EQ(stat->comm, name);
        EXPECT_EQ(stat->ppid, 7) << name;
    }
}

TEST(PidStat, WithoutTheLastFieldsTheExitCodeIsUnknown) {
    const std::string text = "42 (python) " + tail;
    const auto stat = parse_pid_stat(text.substr(0, text.rfind(" 9")));
    ASSERT_TRUE(stat.ok());
    EXPECT_EQ(stat->exit_code, std::nullopt);
}

TEST(PidStat, CutBeforeTheSizeIsAnErrorAtEveryByte) {
    const std::string text = "42 (python) " + tail;
    const std::size_t enough = text.find(" 76800") + 2;  // one digit of it looks complete
    for (std::size_t length = 0; length < enough; ++length)
        EXPECT_FALSE(parse_pid_stat(text.substr(0, length)).ok()) << length;
}

TEST(PidStat, NumbersThatDoNotFitAreAnError) {
    std::string text = "42 (python) " + tail;
    text.replace(text.find(" 150 "), 5, " 18446744073709551615 ");
    EXPECT_FALSE(parse_pid_stat(text).ok());
    text = "42 (python) " + tail;
    text.replace(text.find(" 76800 "), 7, " 9223372036854775807 ");
    EXPECT_FALSE(parse_pid_stat(text, Bytes{4096}).ok());
    EXPECT_FALSE(parse_pid_stat("99999999999 (python) " + tail).ok());
}

TEST(PidStat, ANegativeResidentSizeIsNothing) {
    std::string text = "42 (python) " + tail;
    text.replace(text.find(" 76800 "), 7, " -3 ");
    const auto stat = parse_pid_stat(text);
    ASSERT_TRUE(stat.ok());
    EXPECT_EQ(stat->rss, Bytes{0});
}

TEST(PidStat, CountsInThePagesOfItsKernel) {
    for (const std::uint64_t kib : {4U, 16U, 64U}) {
        const auto stat = parse_pid_stat("42 (python) " + tail, Bytes::kib(kib));
        ASSERT_TRUE(stat.ok());
        EXPECT_EQ(stat->rss, Bytes::kib(76800 * kib));
        const auto statm = parse_pid_statm("765000 76800 1200 10 0 70000 0\n", Bytes::kib(kib));
        ASSERT_TRUE(statm.ok());
        EXPECT_EQ(statm->size, Bytes::kib(765000 * kib));
        EXPECT_EQ(statm->rss, Bytes::kib(76800 * kib));
        EXPECT_EQ(statm->shared, Bytes::kib(1200 * kib));
    }
}

TEST(PidStatm, ReadsThreeSizesAndNeedsThem) {
    const auto statm = parse_pid_statm("765000 76800 1200 10 0 70000 0\n", Bytes{4096});
    ASSERT_TRUE(statm.ok());
    EXPECT_EQ(statm->size, Bytes{765000ULL * 4096});
    EXPECT_EQ(statm->rss, Bytes::mib(300));
    EXPECT_EQ(statm->shared, Bytes{1200ULL * 4096});
    EXPECT_FALSE(parse_pid_statm("1 2", Bytes{4096}).ok());
    EXPECT_FALSE(parse_pid_statm("", Bytes{4096}).ok());
    EXPECT_FALSE(parse_pid_statm("1 18446744073709551615 3", Bytes{4096}).ok());
}

TEST(ProcessDir, ReadsThisVeryProcessAgainAndAgain) {
    const Roots roots = machine();
    auto self = ProcessDir::open(roots, ::getpid());
    ASSERT_TRUE(self.ok());
    for (int i = 0; i < 3; ++i) {
        const auto stat = self->stat();
        ASSERT_TRUE(stat.ok()) << stat.error().text;
        EXPECT_EQ(stat->pid, ::getpid());
        EXPECT_EQ(stat->ppid, ::getppid());
        const auto statm = self->statm();
        ASSERT_TRUE(statm.ok()) << statm.error().text;
        EXPECT_GT(statm->rss, Bytes::kib(100));
        EXPECT_LE(statm->rss, statm->size);
    }
    const auto once = read_pid_stat(self->fd());
    ASSERT_TRUE(once.ok());
    EXPECT_EQ(once->start_ticks, self->stat()->start_ticks);
}

TEST(ProcessDir, OfAFixtureAndOfNobody) {
    const Roots roots = fixture("machine");
    auto process = ProcessDir::open(roots, 42);
    ASSERT_TRUE(process.ok());
    EXPECT_EQ(process->stat()->comm, "py (a) b");
    EXPECT_EQ(process->statm()->rss, Bytes{76800 * page_size().count});
    EXPECT_EQ(ProcessDir::open(roots, 4711).error().number, ENOENT);
}

}  // namespace
}  // namespace holdfast::sources
