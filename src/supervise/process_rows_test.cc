#include "supervise/process_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast {
namespace {

class ProcessSlotsOfThree : public testing::Test {
protected:
    static constexpr std::size_t rows = 3;
    std::vector<std::byte> memory_ =
        std::vector<std::byte>(rows * format::table_copies * sizeof(format::Process));
    TableWriter<format::Process> table_{memory_.data(), rows};
    ProcessSlots slots_{table_};

    void end(std::size_t slot, std::int64_t when, int wait_status) {
        format::Process record = unseen_process();
        record.ended = when;
        record.wait_status = wait_status;
        slots_.put(slot, record);
    }
};

TEST_F(ProcessSlotsOfThree, GivesEachLivingProcessItsOwnRow) {
    EXPECT_EQ(slots_.take(), 0U);
    EXPECT_EQ(slots_.take(), 1U);
    EXPECT_EQ(slots_.take(), 2U);
    EXPECT_EQ(slots_.take(), std::nullopt);
}

TEST_F(ProcessSlotsOfThree, TakesFirstFromWhoEndedWellLongestAgo) {
    for (std::size_t slot = 0; slot < rows; ++slot) slots_.take();
    end(0, 30, 0);
    end(1, 10, 0);
    end(2, 5, 9);  // it was killed, so worth keeping
    EXPECT_EQ(slots_.take(), 1U);
    EXPECT_EQ(slots_.take(), 0U);
    EXPECT_EQ(slots_.take(), 2U);
}

TEST_F(ProcessSlotsOfThree, AnEndNobodyCouldTellIsKeptLikeABadOne) {
    for (std::size_t slot = 0; slot < rows; ++slot) slots_.take();
    end(0, 10, -1);
    end(1, 20, 0);
    EXPECT_EQ(slots_.take(), 1U);
}

}  // namespace

}  // namespace holdfast
