#include "sources/filesystem_space.h"

#include <gtest/gtest.h>

namespace holdfast::sources {
namespace {

TEST(FilesystemSpace, OfProcAndOfTheRoot) {
    const auto proc = read_filesystem_space("/proc");
    ASSERT_TRUE(proc.ok());
    EXPECT_EQ(proc->type, "proc");
    EXPECT_EQ(proc->size, Bytes{0});
    const auto root = read_filesystem_space("/");
    ASSERT_TRUE(root.ok());
    EXPECT_GT(root->size, Bytes{0});
    EXPECT_LE(root->free, root->size);
    EXPECT_EQ(read_filesystem_space("/no/such/path").error().number, ENOENT);
}

TEST(FilesystemSpace, NamesTheKinds) {
    EXPECT_EQ(filesystem_name(0xef53), "ext4");
    EXPECT_EQ(filesystem_name(0x01021994), "tmpfs");
    EXPECT_EQ(filesystem_name(0x1234567), "0x1234567");
}

}  // namespace
}  // namespace holdfast::sources
