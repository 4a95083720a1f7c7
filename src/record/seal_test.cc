#include "record/seal.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

constexpr const char* json = "{\n  \"peak\": 512,\n  \"name\": \"größe\"\n}\n";

TEST(Seal, GivesBackWhatWasSealed) { EXPECT_EQ(unseal(seal(json)).value(), json); }

TEST(Seal, StaysAnObjectForOtherReaders) {
    EXPECT_NE(seal(json).find("\"name\": \"größe\",\n  \"crc32c\": \""), std::string::npos);
    EXPECT_TRUE(seal(json).ends_with("}\n"));
}

TEST(Seal, EveryFlippedBitAndEveryCutBreaksIt) {
    const std::string whole = seal(json);
    for (std::size_t byte = 0; byte < whole.size(); ++byte) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::string damaged = whole;
            damaged[byte] =
                static_cast<char>(static_cast<unsigned char>(damaged[byte]) ^ (1U << bit));
            EXPECT_FALSE(unseal(damaged).ok()) << byte << '.' << bit;
        }
        EXPECT_FALSE(unseal(whole.substr(0, byte)).ok()) << byte;
    }
}

TEST(Seal, WhatWasNeverSealedIsNotBelieved) { EXPECT_FALSE(unseal(json).ok()); }

}  // namespace
}  // namespace holdfast
