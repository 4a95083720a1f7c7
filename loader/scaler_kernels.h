// The two inner loops of the scaler, in the widest form that the processor has.
#pragma once

#include <cstdint>

#include "loader/scaler.h"

namespace holdfast::loader {

// out[x] = sum of weight[k] * rows[k][x]; `taps` is even, rows and `out` have 32 bytes to
// spare.
void mix_rows(const std::uint8_t* const* rows, const std::int16_t* weight, std::uint32_t taps,
              std::uint32_t width, std::uint8_t* out);
// The same along a row, pixel by pixel.
void mix_columns(const std::uint8_t* row, const Weights& weights, std::uint32_t width,
                 std::uint32_t channels, std::uint8_t* out);

}  // namespace holdfast::loader
