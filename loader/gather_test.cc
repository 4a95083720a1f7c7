#include "loader/gather.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace holdfast::loader {
namespace {

constexpr std::uint64_t count = 3000;  // more than are chosen at a time

// Rows of `bytes` each, `stride` apart; the bytes tell the row.
std::vector<std::byte> table(std::uint64_t bytes, std::uint64_t stride) {
    std::vector<std::byte> all(count * stride, std::byte{0xee});
    for (std::uint64_t row = 0; row < count; ++row)
        for (std::uint64_t i = 0; i < bytes; ++i)
            all[row * stride + i] = static_cast<std::byte>(row * 31 + i * 7);
    return all;
}

void expect_rows_in_order(const Order& order, std::uint64_t bytes, std::uint64_t stride) {
    constexpr std::uint64_t first = 100;
    constexpr std::uint64_t rows = 2500;
    constexpr std::uint64_t row = 3;  // of the batch
    const std::vector<std::byte> from = table(bytes, stride);
    constexpr std::uint64_t offset = 64;
    std::vector<std::byte> batch(offset + (row + rows + 1) * bytes, std::byte{0x55});
    const GatheredColumn column{from.data(), stride, bytes, offset};
    gather({&column, 1}, order, first, rows, batch.data(), row);
    for (std::uint64_t i = 0; i < rows; ++i)
        ASSERT_EQ(std::memcmp(batch.data() + offset + (row + i) * bytes,
                              from.data() + order.at(first + i) * stride, bytes),
                  0)
            << "row " << i << " of " << bytes << " bytes";
    // Nothing before, nothing behind.
    for (std::uint64_t i = 0; i < offset + row * bytes; ++i) ASSERT_EQ(batch[i], std::byte{0x55});
    for (std::uint64_t i = 0; i < bytes; ++i)
        ASSERT_EQ(batch[offset + (row + rows) * bytes + i], std::byte{0x55});
}

TEST(Gather, RowsComeInTheOrderOfTheBlock) {
    const Order shuffled(count, 1, 2, true);
    for (const std::uint64_t bytes : {1U, 2U, 4U, 8U, 12U, 100U}) {
        expect_rows_in_order(shuffled, bytes, bytes);
        expect_rows_in_order(shuffled, bytes, bytes + 5);
    }
}

TEST(Gather, RowsInTheirOwnOrderStayInIt) {
    const Order plain(count, 1, 2, false);
    for (const std::uint64_t bytes : {1U, 8U, 12U}) {
        expect_rows_in_order(plain, bytes, bytes);
        expect_rows_in_order(plain, bytes, bytes + 3);
    }
}

TEST(Gather, EveryRowOnceAndColumnsSideBySide) {
    std::vector<std::uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<float> halves(count);
    for (std::uint64_t i = 0; i < count; ++i) halves[i] = static_cast<float>(i) / 2;
    std::vector<std::byte> batch(count * 12);
    const GatheredColumn columns[] = {
        {reinterpret_cast<const std::byte*>(numbers.data()), 8, 8, 0},
        {reinterpret_cast<const std::byte*>(halves.data()), 4, 4, count * 8}};
    gather(columns, Order(count, 7, 0, true), 0, count, batch.data(), 0);
    std::vector<bool> seen(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t number = 0;
        float half = 0;
        std::memcpy(&number, batch.data() + i * 8, 8);
        std::memcpy(&half, batch.data() + count * 8 + i * 4, 4);
        ASSERT_LT(number, count);
        ASSERT_FALSE(seen[number]);
        seen[number] = true;
        ASSERT_EQ(half, static_cast<float>(number) / 2);
    }
}

}  // namespace
}  // namespace holdfast::loader
