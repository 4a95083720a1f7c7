#include "base/read_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/unique_fd.h"

namespace holdfast {
namespace {

class ReadFile : public testing::Test {
protected:
    void SetUp() override { std::ofstream(path) << "0123456789"; }
    void TearDown() override { std::filesystem::remove(path); }
    // Other tests run at the same time, in processes of their own.
    const std::string path =
        testing::TempDir() + "holdfast read ✓ " + std::to_string(::getpid()) + ".txt";
};

TEST_F(ReadFile, ReadsAllOfAFileWhoseSizeIsReportedAsZero) {
    const auto text = read_file("/proc/self/status");
    ASSERT_TRUE(text.ok()) << text.error().text;
    EXPECT_NE(text->find("VmRSS"), std::string::npos);
}

TEST_F(ReadFile, RefusesAFileLargerThanItsLimit) {
    EXPECT_TRUE(read_file(path, 10).ok());
    EXPECT_EQ(read_file(path, 9).error().number, EFBIG);
}

TEST_F(ReadFile, SaysWhichFileIsMissing) {
    const auto text = read_file("/nowhere/at/all");
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().number, ENOENT);
    EXPECT_NE(text.error().text.find("/nowhere/at/all"), std::string::npos);
}

TEST_F(ReadFile, TailStartsWhereTheRunStarted) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(read_tail(fd.get(), 4).value(), "6789");
    EXPECT_EQ(read_tail(fd.get(), 100, 7).value(), "789");
    EXPECT_EQ(read_tail(fd.get(), 100, 50).value(), "");
}

}  // namespace
}  // namespace holdfast
