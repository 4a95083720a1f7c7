#include "sources/kernel_log.h"

#include <unistd.h>

#include "sources/kernel_message.h"
#include "sources/test_roots.h"

namespace holdfast::sources {
namespace {

TEST(KernelRecord, PrefixTextAndNoContinuationLines) {
    const auto record =
        parse_kernel_record("6,339,5140900,-;NET: Registered family 10\n SUBSYSTEM=net\n");
    ASSERT_TRUE(record.ok());
    EXPECT_EQ(record->level, 6);
    EXPECT_EQ(record->facility, 0);
    EXPECT_EQ(record->sequence, 339U);
    EXPECT_EQ(record->time, std::chrono::microseconds(5140900));
    EXPECT_EQ(record->text, "NET: Registered family 10");
}

TEST(KernelRecord, LaterFieldsAreSkippedAndSemicolonsStayInTheText) {
    const auto record = parse_kernel_record("12,1,2,c,caller=T12;a;b\n");
    ASSERT_TRUE(record.ok());
    EXPECT_EQ(record->facility, 1);
    EXPECT_EQ(record->level, 4);
    EXPECT_EQ(record->text, "a;b");
}

TEST(KernelRecord, SenselessIsAnError) {
    for (const char* text : {"", "no prefix", "6,1;x", "-1,1,1,-;x", "6,x,1,-;x", ";x",
                             "6,1,9223372036854775807,-;x", "99999999999,1,1,-;x"})
        EXPECT_FALSE(parse_kernel_record(text).ok()) << text;
}

TEST(KernelLog, AMissingOneIsAnError) {
    EXPECT_EQ(KernelLog::open(fixture("machine"), KernelLog::From::now).error().number, ENOENT);
}

// A line that a program writes must be recognised as a program's.
TEST(KernelLog, ForgedLinesAreSeenAndNotBelieved) {
    auto log = KernelLog::open(machine(), KernelLog::From::now);
    if (!log) GTEST_SKIP() << log.error().text;
    const UniqueFd writer(::open("/dev/kmsg", O_WRONLY | O_CLOEXEC));
    if (!writer) GTEST_SKIP() << "/dev/kmsg is not writable";
    const std::string line = "Out of memory: Killed process " + std::to_string(::getpid()) +
                             " (forged) total-vm:1kB, anon-rss:1kB, file-rss:1kB, shmem-rss:1kB";
    const std::string forged = "<0>" + line + "\n";  // without the newline, the record stays open
    if (::write(writer.get(), forged.data(), forged.size()) < 0)
        GTEST_SKIP() << "/dev/kmsg refuses writes";
    bool seen = false;
    for (;;) {
        const auto record = log->next();
        ASSERT_TRUE(record.ok()) << record.error().text;
        if (!record->has_value()) break;
        if ((*record)->text != line) continue;
        seen = true;
        EXPECT_NE((*record)->facility, 0);
        EXPECT_FALSE(parse_oom_kill(**record).has_value());
    }
    EXPECT_TRUE(seen);
}

TEST(KernelLog, FromTheOldestGivesRecordsInOrder) {
    auto log = KernelLog::open(machine(), KernelLog::From::oldest);
    if (!log) GTEST_SKIP() << log.error().text;
    std::optional<std::uint64_t> last;
    for (int i = 0; i < 50; ++i) {
        const auto record = log->next();
        ASSERT_TRUE(record.ok());
        if (!record->has_value()) break;
        if (last) {
            EXPECT_GT((*record)->sequence, *last);
        }
        last = (*record)->sequence;
    }
    EXPECT_TRUE(last.has_value());
}

}  // namespace
}  // namespace holdfast::sources
