#include "fit/capture/capture.h"

#include <gtest/gtest.h>

#include "fit/capture/capture_builder.h"

namespace holdfast::fit {
namespace {

using testing::CaptureBuilder;

CaptureBuilder small() {
    CaptureBuilder builder;
    const auto weight = builder.alloc(1000, StorageRole::weight);
    const auto activation = builder.alloc(70000);
    builder.scratch(Fact::gemm, {0, 1});
    builder.free(activation);
    builder.step_ends();
    builder.free(weight);
    return builder;
}

TEST(Capture, ReadsWhatWasWritten) {
    const auto capture = parse_capture(small().bytes());
    ASSERT_TRUE(capture) << capture.error().text;
    EXPECT_EQ(capture->batch, 8U);
    EXPECT_EQ(capture->births, 2U);
    ASSERT_EQ(capture->events.size(), 6U);
    EXPECT_EQ(capture->events[0].role, StorageRole::weight);
    EXPECT_EQ(capture->values_of(capture->events[1])[0], 70000);
    EXPECT_EQ(capture->events[3].subject, 1U);
    EXPECT_EQ(capture->sites[0].line, 3U);
}

TEST(Capture, EveryCutIsNoticed) {
    const std::string bytes = small().bytes();
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(parse_capture(bytes.substr(0, length))) << length;
}

TEST(Capture, EveryFlippedBitIsNoticed) {
    const std::string bytes = small().bytes();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ 4);
        EXPECT_FALSE(parse_capture(damaged)) << i;
    }
}

TEST(Capture, AStorageDiesOnce) {
    CaptureBuilder builder;
    const auto storage = builder.alloc(10);
    builder.free(storage);
    builder.free(storage);
    EXPECT_FALSE(parse_capture(builder.bytes()));
}

TEST(Capture, ASiteOutsideTheListIsRefused) {
    CaptureBuilder builder;
    builder.alloc(10, StorageRole::weight, 99);
    EXPECT_FALSE(parse_capture(builder.bytes()));
}

}  // namespace
}  // namespace holdfast::fit
