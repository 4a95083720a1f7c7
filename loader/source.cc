#include "loader/source.h"

#include <algorithm>

namespace holdfast::loader {

std::vector<std::uint64_t> field_offsets(const RowLayout& layout, std::uint64_t rows) {
    std::vector<std::uint64_t> offsets;
    std::uint64_t at = 0;
    for (const Field& field : layout.fields) {
        offsets.push_back(at);
        at += rounded_up(field.sample_bytes * rows, cache_line);
    }
    return offsets;
}

std::uint64_t batch_bytes(const RowLayout& layout, std::uint64_t rows) {
    std::uint64_t all = layout.ragged_bytes;
    for (const Field& field : layout.fields)
        all += rounded_up(field.sample_bytes * rows, cache_line);
    return rounded_up(std::max<std::uint64_t>(all, 1), cache_line);
}

std::uint64_t Source::part_size(std::uint64_t rows, unsigned workers) const {
    return std::max<std::uint64_t>(1, rows / (2 * std::max(1U, workers)));
}

std::uint64_t Source::part_of_bytes(std::uint64_t rows, unsigned workers, std::uint64_t each) {
    constexpr std::uint64_t least = 64U << 10U;
    const std::uint64_t even = rows / (2 * std::max(1U, workers));
    return std::max({std::uint64_t{1}, even, least / std::max<std::uint64_t>(1, each)});
}

}  // namespace holdfast::loader
