#include "base/checksum.h"

#include <array>

namespace holdfast {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit)
            value = (value & 1U) != 0 ? (value >> 1U) ^ 0x82f63b78U : value >> 1U;
        table[i] = value;
    }
    return table;
}
constexpr auto table = make_table();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed) {
    std::uint32_t value = ~seed;
    for (const std::byte b : bytes)
        value = table[(value ^ static_cast<std::uint32_t>(b)) & 0xffU] ^ (value >> 8U);
    return ~value;
}

}  // namespace holdfast
