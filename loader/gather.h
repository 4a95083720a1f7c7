// Copies rows of a block outside the arena, column by column, into a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "loader/order.h"

namespace holdfast::loader {

struct GatheredColumn {
    const std::byte* from = nullptr;  // the block's first row
    std::uint64_t stride = 0;         // from row to row of the block
    std::uint64_t row_bytes = 0;
    std::uint64_t offset = 0;  // of the column's first row in the batch
};

// Copies `rows` rows of the block, in its order from `first` on, to the batch's rows from `row` on.
void gather(std::span<const GatheredColumn> columns, const Order& order, std::uint64_t first,
            std::uint64_t rows, std::byte* batch, std::uint64_t row);

}  // namespace holdfast::loader
