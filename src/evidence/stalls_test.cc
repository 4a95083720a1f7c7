// Stalls from the black box: in order, with the newest one's threads, whatever the rows contain.
#include <gtest/gtest.h>

#include <cstring>

#include "evidence/gatherers.h"

namespace holdfast {
namespace {

format::Stall stall(std::uint32_t number, std::int64_t since) {
    format::Stall row{};
    row.number = number;
    row.since = since;
    row.seen = since + 5;
    row.told = row.moved = row.last_step = format::never;
    row.usual_ns = row.longest_ns = format::unknown;
    return row;
}

format::StalledProcess process(std::uint32_t stall, std::int32_t pid, const char* text) {
    format::StalledProcess row{};
    row.stall = stall;
    row.pid = pid;
    row.text_size = static_cast<std::uint32_t>(std::strlen(text));
    std::memcpy(row.text, text, row.text_size);
    return row;
}

TEST(Stalls, come_in_order_and_only_the_newest_has_threads) {
    RunRecord record;
    record.stalls = {stall(9, 900), stall(2, 200)};
    record.stalls[0].told = 910;
    record.stalled = {process(9, 42,
                              "T 42 MainThread\nW S\tlock\tio\tfutex\tf\t\t\n"
                              "F 3\tinner.py\tf\nF 9\touter.py\tg\n")};
    const auto all = gatherers::stalls(record, {100});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].since, RunTime(100));
    EXPECT_TRUE(all[0].processes.empty());
    EXPECT_EQ(all[1].told, RunTime(810));
    EXPECT_FALSE(all[1].usual);
    ASSERT_EQ(all[1].processes.size(), 1U);
    const WaitingThread& thread = all[1].processes[0].threads.at(0);
    EXPECT_EQ(thread.wait, WaitKind::lock);
    EXPECT_TRUE(thread.own_lock);
    EXPECT_EQ(thread.frames.back().file, "inner.py");
}

TEST(Stalls, a_threads_name_and_target_hide_secrets) {
    RunRecord record;
    record.stalls = {stall(1, 1)};
    record.stalled = {process(
        1, 42, "T 42 token=hunterzwei\nW S\tread\tio\tread\tf\t/x?password=hunterzwei\t\n")};
    const WaitingThread thread = gatherers::stalls(record, {0})[0].processes.at(0).threads.at(0);
    EXPECT_EQ(thread.name, "token=***");
    EXPECT_EQ(thread.target, "/x?password=***");
}

TEST(Stalls, a_size_beyond_the_row_is_not_believed) {
    RunRecord record;
    record.stalls = {stall(1, 1)};
    record.stalled = {process(1, 42, "T 42 a\n")};
    record.stalled[0].text_size = 0xFFFFFFFFU;
    EXPECT_EQ(gatherers::stalls(record, {0})[0].processes.size(), 1U);
}

}  // namespace
}  // namespace holdfast
