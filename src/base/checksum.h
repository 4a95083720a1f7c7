// CRC-32C over a few hundred bytes: detects a torn or damaged record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast {

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed = 0);

}  // namespace holdfast
