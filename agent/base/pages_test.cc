// Pages of every size that Linux has on our machines, whatever the size is here.
#include "agent/base/pages.h"

#include <gtest/gtest.h>

#include <set>

#include "record/agent_format.h"

namespace holdfast::agent {
namespace {

class PagesTest : public ::testing::TestWithParam<std::uint64_t> {
protected:
    const std::uint64_t page = GetParam();
};
INSTANTIATE_TEST_SUITE_P(, PagesTest, ::testing::Values(4096, 16384, 65536));

TEST_P(PagesTest, EverySlotOfTheBoxCanBeMapped) {
    for (std::uint64_t number = 0; number < format::agent_slots; ++number) {
        const std::uint64_t offset = format::agent_slots_offset + number * format::agent_slot_space;
        const Pages pages = pages_around(offset, sizeof(format::AgentSlot), page);
        // mmap refuses a file's offset that is no multiple of the page.
        ASSERT_EQ(pages.begin % page, 0U);
        ASSERT_LE(pages.begin, offset);
        ASSERT_LT(offset - pages.begin, page);
        ASSERT_GE(pages.end, offset + sizeof(format::AgentSlot));
    }
}

TEST_P(PagesTest, ProbesAreWholePagesOfTheBlockAndReachItsEnd) {
    constexpr std::uint64_t least = 4U << 20U, probes = 32;
    for (const std::uint64_t begin : {0x7f0000000010U, 0x7f0000000000U, 0x7f000000ffffU}) {
        for (const std::uint64_t size : {least, least + 12345, 100 * least}) {
            const Pages pages = pages_within(begin, size, page);
            std::set<std::uint64_t> seen;
            for (std::uint64_t i = 0; i < probes; ++i) {
                const std::uint64_t at = pages.probe(i, probes);
                EXPECT_EQ(at % page, 0U);
                EXPECT_GE(at, begin);
                EXPECT_LE(at + page, begin + size);
                seen.insert(at);
            }
            EXPECT_EQ(seen.size(), probes);
            EXPECT_GT(*seen.rbegin(), begin + size / 10 * 9);
        }
    }
}

TEST_P(PagesTest, ABlockWithinOnePageHasNoWholePage) {
    EXPECT_EQ(pages_within(page + 1, page - 2, page).count(), 0U);
    EXPECT_EQ(pages_around(page + 1, page - 2, page).count(), 1U);
    EXPECT_EQ(pages_around(page - 1, 2, page).count(), 2U);
    EXPECT_EQ(pages_within(page, page, page).count(), 1U);
}

}  // namespace
}  // namespace holdfast::agent
