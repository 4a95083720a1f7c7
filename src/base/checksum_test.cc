#include "base/checksum.h"

#include <gtest/gtest.h>

#include <string_view>

namespace holdfast {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

// The check value every CRC-32C implementation must give.
TEST(Checksum, MatchesThePublishedCheckValue) {
    EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283U);
}

TEST(Checksum, CanBeTakenInPieces) {
    EXPECT_EQ(crc32c(bytes_of("6789"), crc32c(bytes_of("12345"))), crc32c(bytes_of("123456789")));
}

TEST(Checksum, SeesASingleFlippedBit) { EXPECT_NE(crc32c(bytes_of("a")), crc32c(bytes_of("c"))); }

}  // namespace
}  // namespace holdfast
