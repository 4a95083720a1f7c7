#include "sources/oom_table.h"

#include <gtest/gtest.h>

namespace holdfast::sources {
namespace {

constexpr const char* new_columns =
    "[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents "
    "oom_score_adj name";
constexpr const char* old_columns =
    "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name";

KernelRecord line(std::string text, int facility = 0) {
    KernelRecord record;
    record.facility = facility;
    record.text = std::move(text);
    return record;
}

TEST(OomTable, CountsAnonymousAndSharedMemoryWhereTheKernelTellsThemApart) {
    OomTable table(Bytes::kib(4));
    EXPECT_TRUE(table.take(line(new_columns)));
    EXPECT_TRUE(table.take(
        line("[  15425]     0 15425     2345      992       76      916         0    57344        "
             "0             0 holdfast")));
    EXPECT_TRUE(table.take(
        line("[  15428]  1000 15428    35440    33884    32352     1532       100   323584        "
             "0          -500 pt main thread")));
    ASSERT_EQ(table.tasks().size(), 2U);
    EXPECT_EQ(table.tasks()[0].pid, 15428);
    EXPECT_EQ(table.tasks()[0].name, "pt main thread");
    EXPECT_EQ(table.tasks()[0].held, Bytes::kib(4 * (32352 + 100)));
    EXPECT_EQ(table.tasks()[1].held, Bytes::kib(4 * 76));
}

TEST(OomTable, OfAnOlderKernelHasOneFigure) {
    OomTable table(Bytes::kib(4));
    table.take(line(old_columns));
    table.take(
        line("[   4242]     0  4242   250000   131072  1110000        0             0 python"));
    ASSERT_EQ(table.tasks().size(), 1U);
    EXPECT_EQ(table.tasks()[0].held, Bytes::mib(512));
    EXPECT_EQ(table.tasks()[0].name, "python");
}

TEST(OomTable, CountsInThePagesOfItsKernel) {
    for (const std::uint64_t kib : {4U, 16U, 64U}) {
        OomTable table(Bytes::kib(kib));
        table.take(line(old_columns));
        table.take(line("[ 4242] 0 4242 250000 8192 1110000 0 0 python"));
        ASSERT_EQ(table.tasks().size(), 1U);
        EXPECT_EQ(table.tasks()[0].held, Bytes::kib(8192 * kib));
    }
}

TEST(OomTable, KeepsTheLargest) {
    OomTable table(Bytes::kib(4));
    table.take(line(old_columns));
    for (int pid = 1; pid <= 100; ++pid)
        table.take(line("[ " + std::to_string(pid) + "] 0 " + std::to_string(pid) + " 9 " +
                        std::to_string(pid) + " 0 0 0 a"));
    ASSERT_EQ(table.tasks().size(), OomTable::most);
    EXPECT_EQ(table.tasks().front().pid, 100);
    EXPECT_EQ(table.tasks().back().pid, 95);
}

TEST(OomTable, BeginsAnewWithEachKill) {
    OomTable table(Bytes::kib(4));
    table.take(line(old_columns));
    table.take(line("[ 7] 0 7 9 5 0 0 0 a"));
    table.take(line(old_columns));
    EXPECT_TRUE(table.tasks().empty());
}

TEST(OomTable, TakesNoRowWithoutItsColumnsAndNoneFromAProgram) {
    OomTable table(Bytes::kib(4));
    EXPECT_FALSE(table.take(line("[ 7] 0 7 9 5 0 0 0 a")));
    EXPECT_FALSE(table.take(line(old_columns, 1)));
    table.take(line(old_columns));
    EXPECT_FALSE(table.take(line("[ 7] 0 7 9 5 0 0 0 a", 3)));
    EXPECT_FALSE(table.take(line("[ 7] 0 7 nine 5 0 0 0 a")));
    EXPECT_FALSE(table.take(line("[drm] something else")));
    EXPECT_TRUE(table.tasks().empty());
}

}  // namespace
}  // namespace holdfast::sources
