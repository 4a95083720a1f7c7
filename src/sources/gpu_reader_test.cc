#include "sources/gpu_reader.h"

#include <gtest/gtest.h>

namespace holdfast::sources {
namespace {

TEST(GpuReader, WithoutTheLibraryThereAreNoGpusAndAReason) {
    const auto reader = make_gpu_reader("libholdfast-no-such-library.so");
    ASSERT_NE(reader, nullptr);
    EXPECT_NE(reader->absent_because(), "");
    EXPECT_TRUE(reader->read().empty());
    EXPECT_TRUE(reader->new_xids().empty());
}

TEST(GpuReader, ALibraryWithoutTheFunctionsIsAsGoodAsNone) {
    const auto reader = make_gpu_reader("libc.so.6");
    EXPECT_NE(reader->absent_because(), "");
    EXPECT_TRUE(reader->read().empty());
}

}  // namespace
}  // namespace holdfast::sources
