#include "base/bytes.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(Bytes, ReadsAsPeopleWriteIt) {
    EXPECT_EQ(human(Bytes{0}), "0 B");
    EXPECT_EQ(human(Bytes{900}), "900 B");
    EXPECT_EQ(human(Bytes::mib(512)), "512 MiB");
    EXPECT_EQ(human(Bytes::mib(1536)), "1.5 GiB");
    EXPECT_EQ(human(Bytes{(1ULL << 30U) - 1}), "1 GiB");
    EXPECT_EQ(human(Bytes{~0ULL}), "16 EiB");
}

TEST(Bytes, DifferencesStopAtNothing) {
    EXPECT_EQ(Bytes::kib(1) - Bytes::kib(2), Bytes{0});
    EXPECT_EQ(Bytes::kib(3) - Bytes::kib(2), Bytes::kib(1));
}

TEST(Bytes, AShareOfNothingIsNothing) {
    EXPECT_DOUBLE_EQ(Bytes::mib(1).share_of(Bytes{0}), 0.0);
    EXPECT_DOUBLE_EQ(Bytes::mib(1).share_of(Bytes::mib(4)), 0.25);
}

}  // namespace
}  // namespace holdfast
