#include "check/metadata.h"

#include <gtest/gtest.h>

namespace holdfast::check {
namespace {

const MarkerWorld here{"3.11", "x86_64"};

TEST(Metadata, TheHeadIsReadAndTheDescriptionIsNot) {
    const Metadata metadata = parse_metadata(
        "Metadata-Version: 2.1\r\nName: Torch_Vision\r\nVersion: 0.20.1\r\n"
        "Requires-Dist: torch (==2.5.1)\r\nRequires-Dist: scipy ; extra == 'scipy'\r\n"
        "Requires-Dist: pillow!=8.3.*,>=5.3.0\r\n\r\nName: other\n",
        here);
    EXPECT_EQ(metadata.name, "torch-vision");
    EXPECT_EQ(metadata.version, "0.20.1");
    ASSERT_EQ(metadata.requires_.size(), 2U);
    EXPECT_EQ(metadata.requires_[0].name, "torch");
    EXPECT_EQ(metadata.requires_[0].specifiers, "==2.5.1");
    EXPECT_EQ(metadata.requires_[1].specifiers, "!=8.3.*,>=5.3.0");
}

TEST(Metadata, ExtrasInBracketsAndMarkersAreUnderstood) {
    const Metadata metadata = parse_metadata(
        "Name: torch\nRequires-Dist: cuda-toolkit[cublas,cudart]==13.0.2; platform_system == "
        "\"Linux\"\nRequires-Dist: triton==3.6.0; platform_system == \"Windows\"\n",
        here);
    ASSERT_EQ(metadata.requires_.size(), 1U);
    EXPECT_EQ(metadata.requires_[0].name, "cuda-toolkit");
    EXPECT_EQ(metadata.requires_[0].specifiers, "==13.0.2");
}

TEST(Metadata, MarkersHoldOrNotOrAreUnknown) {
    EXPECT_EQ(marker_holds("python_version < '3.12'", here), true);
    EXPECT_EQ(marker_holds("python_version >= '3.12'", here), false);
    EXPECT_EQ(marker_holds("sys_platform == 'linux' and platform_machine == 'aarch64'", here),
              false);
    EXPECT_EQ(marker_holds("sys_platform == 'win32' or sys_platform == 'linux'", here), true);
    EXPECT_EQ(marker_holds("extra == 'dev'", here), std::nullopt);
    EXPECT_EQ(marker_holds("python_version < '3.12' and extra == 'dev'", here), std::nullopt);
    EXPECT_EQ(marker_holds("(a == 'b' or c == 'd') and e == 'f'", here), std::nullopt);
    EXPECT_EQ(marker_holds("python_version < '3.12'", {}), std::nullopt);
}

TEST(Metadata, TenMegabytesOfNothingAreNoTrouble) {
    const std::string text = "Name: big\nVersion: 1\n" + std::string(10U << 20U, 'x');
    EXPECT_EQ(parse_metadata(text, here).name, "big");
}

}  // namespace
}  // namespace holdfast::check
