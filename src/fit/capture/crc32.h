// CRC-32 as zlib computes it: the one checksum that Python has built in.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace holdfast::fit {

inline std::uint32_t crc32(std::string_view bytes) {
    static constexpr auto table = [] {
        std::array<std::uint32_t, 256> entries{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit)
                value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
            entries[i] = value;
        }
        return entries;
    }();
    std::uint32_t sum = 0xFFFFFFFFU;
    for (const char byte : bytes)
        sum = (sum >> 8U) ^ table[(sum ^ static_cast<std::uint8_t>(byte)) & 0xFFU];
    return ~sum;
}

}  // namespace holdfast::fit
