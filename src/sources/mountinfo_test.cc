#include "sources/mountinfo.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sources/test_roots.h"

namespace holdfast::sources {
namespace {

TEST(Mountinfo, ReadsALineWithOptionalFieldsAndEscapes) {
    const auto mounts = parse_mountinfo(
        "36 35 98:0 /a\\040b /mnt/my\\040data\\134x rw,noatime master:1 shared:2 - ext4 "
        "/dev/root rw,errors=continue\n");
    ASSERT_EQ(mounts.size(), 1U);
    EXPECT_EQ(mounts[0].id, 36);
    EXPECT_EQ(mounts[0].root, "/a b");
    EXPECT_EQ(mounts[0].point, "/mnt/my data\\x");
    EXPECT_EQ(mounts[0].type, "ext4");
    EXPECT_EQ(mounts[0].source, "/dev/root");
    EXPECT_TRUE(mounts[0].has_super_option("errors=continue"));
    EXPECT_FALSE(mounts[0].has_super_option("errors"));
}

TEST(Mountinfo, AnEmptySourceDoesNotShiftTheOptions) {
    const auto mounts =
        parse_mountinfo("1 2 0:3 / /x rw -  tmpfs rw\n1 2 0:3 / /y rw - tmpfs  ro\n");
    ASSERT_EQ(mounts.size(), 1U);
    EXPECT_EQ(mounts[0].point, "/y");
    EXPECT_EQ(mounts[0].source, "");
    EXPECT_EQ(mounts[0].super_options, "ro");
}

TEST(Mountinfo, AnOddLineDoesNotHideTheOthers) {
    const auto mounts = parse_mountinfo(
        "\nx y z\n1 2 0:3 / /no-separator rw\n5 2 0:3 / /good rw - proc proc rw\n7 2 0:3 /");
    ASSERT_EQ(mounts.size(), 1U);
    EXPECT_EQ(mounts[0].point, "/good");
}

TEST(Mountinfo, OctalEscapesAreThreeDigitsOfAByte) {
    EXPECT_EQ(unescape_octal("a\\011b"), "a\tb");
    EXPECT_EQ(unescape_octal("\\303\\274"), "ü");
    EXPECT_EQ(unescape_octal("a\\04"), "a\\04");
    EXPECT_EQ(unescape_octal("\\777"), "\\777");
    EXPECT_EQ(unescape_octal("\\"), "\\");
    EXPECT_EQ(unescape_octal("\\08z"), "\\08z");
}

TEST(Mountinfo, OfThisMachineHasTheRoot) {
    const Roots roots = machine();
    const UniqueFd self(::openat(roots.proc(), "self", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const auto mounts = read_mountinfo(self.get());
    ASSERT_TRUE(mounts.ok());
    EXPECT_TRUE(std::any_of(mounts->begin(), mounts->end(),
                            [](const Mount& mount) { return mount.point == "/"; }));
}

}  // namespace
}  // namespace holdfast::sources
