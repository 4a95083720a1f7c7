#include "loader/gather.h"

#include <algorithm>
#include <cstring>

namespace holdfast::loader {
namespace {

constexpr std::uint64_t at_a_time = 1024;

// With a size known at compile time, a copy is one load and one store.
template <std::uint64_t size>
void take_fixed(const GatheredColumn& column, std::span<const std::uint64_t> rows, std::byte* to) {
    for (const std::uint64_t row : rows) {
        std::memcpy(to, column.from + row * column.stride, size);
        to += size;
    }
}

void take(const GatheredColumn& column, std::span<const std::uint64_t> rows, std::byte* to) {
    switch (column.row_bytes) {
    case 1: return take_fixed<1>(column, rows, to);
    case 2: return take_fixed<2>(column, rows, to);
    case 4: return take_fixed<4>(column, rows, to);
    case 8: return take_fixed<8>(column, rows, to);
    default:
        for (const std::uint64_t row : rows) {
            std::memcpy(to, column.from + row * column.stride, column.row_bytes);
            to += column.row_bytes;
        }
    }
}

}  // namespace

void gather(std::span<const GatheredColumn> columns, const Order& order, std::uint64_t first,
            std::uint64_t rows, std::byte* batch, std::uint64_t row) {
    std::uint64_t chosen[at_a_time];
    for (std::uint64_t done = 0; done < rows; done += at_a_time) {
        const std::uint64_t some = std::min(at_a_time, rows - done);
        for (std::uint64_t i = 0; i < some; ++i) chosen[i] = order.at(first + done + i);
        for (const GatheredColumn& column : columns) {
            std::byte* const to = batch + column.offset + (row + done) * column.row_bytes;
            if (!order.shuffled() && column.stride == column.row_bytes)
                std::memcpy(to, column.from + chosen[0] * column.stride, some * column.row_bytes);
            else
                take(column, {chosen, some}, to);
        }
    }
}

}  // namespace holdfast::loader
