#include "check/elf_facts.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <algorithm>

#include <filesystem>

#include "base/read_file.h"
#include "check/machine_sight.h"
#include "sources/test_roots.h"

namespace holdfast::check {
namespace {

TEST(Elf, ThisProgramNeedsLibc) {
    const auto facts = machine_sight()->elf("/proc/self/exe");
    ASSERT_TRUE(facts.ok()) << facts.error().text;
    const auto& needed = facts->needed;
    EXPECT_NE(std::find(needed.begin(), needed.end(), "libc.so.6"), needed.end());
    EXPECT_TRUE(std::any_of(facts->needs.begin(), facts->needs.end(), [](const VersionNeed& need) {
        return need.library == "libc.so.6" && need.version.starts_with("GLIBC_2.");
    }));
    EXPECT_NE(facts->interpreter, "");
}

TEST(Elf, LibcOffersItsVersions) {
    const auto sight = machine_sight();
    const auto path = sight->cached("libc.so.6");
    ASSERT_TRUE(path);
    const auto facts = sight->elf(*path);
    ASSERT_TRUE(facts.ok());
    EXPECT_EQ(facts->soname, "libc.so.6");
    const auto& offers = facts->offers;
    EXPECT_NE(std::find(offers.begin(), offers.end(), "GLIBC_2.17"), offers.end());
}

TEST(Elf, TheRecordsFormKeepsEveryFact) {
    const auto facts = machine_sight()->elf("/proc/self/exe");
    ASSERT_TRUE(facts.ok());
    EXPECT_EQ(to_text(elf_from_text(to_text(*facts))), to_text(*facts));
}

TEST(Elf, AFileCutShortAnywhereIsAnErrorOrLessAndNeverACrash) {
    const auto whole = read_file("/proc/self/exe", 64U << 20U);
    ASSERT_TRUE(whole.ok());
    for (std::size_t length = 0; length < std::min<std::size_t>(whole->size(), 4096); length += 7)
        (void)parse_elf(std::string_view(*whole).substr(0, length));
    EXPECT_FALSE(parse_elf("").ok());
    EXPECT_FALSE(parse_elf("#!/bin/sh\n").ok());
}

TEST(Sight, LinksOfARootStayInsideAndLoopsEnd) {
    const sources::TemporaryTree tree;
    tree.put("etc/secret", "inside");
    std::filesystem::create_symlink("/etc/secret", tree.path() + "/absolute");
    std::filesystem::create_symlink("../../../../etc/secret", tree.path() + "/etc/upwards");
    std::filesystem::create_symlink("/loop", tree.path() + "/loop");
    const auto sight = machine_sight({tree.path()});
    EXPECT_EQ(sight->read("/absolute", 100).value(), "inside");
    EXPECT_EQ(sight->read("/etc/upwards", 100).value(), "inside");
    EXPECT_FALSE(sight->read("/loop", 100).ok());
    EXPECT_FALSE(sight->status("/loop").has_value());
    EXPECT_FALSE(sight->read("/etc", 100).ok());
    EXPECT_FALSE(sight->variable("PATH").has_value());
}

TEST(Sight, OfAnEnormousFileTheBeginningIsRead) {
    const sources::TemporaryTree tree;
    tree.put("large", std::string(3U << 20U, 'x'));
    EXPECT_EQ(machine_sight({tree.path()})->read("/large", 1U << 20U).value().size(), 1U << 20U);
}

TEST(Sight, AFifoInAFilesPlaceHoldsNobodyUp) {
    const sources::TemporaryTree tree;
    ASSERT_EQ(::mkfifo((tree.path() + "/meminfo").c_str(), 0600), 0);
    EXPECT_FALSE(machine_sight({tree.path()})->read("/meminfo", 100).ok());
}

}  // namespace
}  // namespace holdfast::check
