#include "sources/cgroup_place.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast::sources {
namespace {

// A mount table of one line, and a set of directories that exist.
struct World {
    std::string cgroup;
    std::string mounts;
    std::set<std::string> directories;

    std::optional<CgroupPlace> find(std::string_view controller = "memory") const {
        const auto memberships = parse_pid_cgroup(cgroup);
        if (!memberships) return std::nullopt;
        return place_of(controller, *memberships, parse_mountinfo(mounts),
                        [&](const std::string& path) { return directories.count(path) != 0; });
    }
};

std::string v2_mount(const std::string& root, const std::string& point = "/c") {
    return "30 23 0:26 " + root + " " + point + " rw - cgroup2 cgroup2 rw\n";
}
std::string v1_mount(const std::string& root, const std::string& point = "/m") {
    return "35 31 0:32 " + root + " " + point + " rw - cgroup cgroup rw,memory\n";
}

TEST(CgroupPlace, V2BelowTheMount) {
    const auto place = World{"0::/a/b\n", v2_mount("/"), {"/c", "/c/a", "/c/a/b"}}.find();
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(place->version, 2);
    EXPECT_EQ(place->directory(), "/c/a/b");
    EXPECT_EQ(place->path(), "/a/b");
    EXPECT_EQ(place->view, CgroupView::own);
    EXPECT_EQ(place->parent()->directory(), "/c/a");
    EXPECT_EQ(place->parent()->parent()->path(), "/");
    EXPECT_FALSE(place->parent()->parent()->parent().has_value());
}

TEST(CgroupPlace, AControllerInV1IsNotLookedForInV2) {
    World world{
        "4:memory:/a\n0::/b\n", v2_mount("/") + v1_mount("/"), {"/c", "/c/b", "/m", "/m/a"}};
    EXPECT_EQ(world.find()->directory(), "/m/a");
    EXPECT_EQ(world.find()->version, 1);
    EXPECT_EQ(world.find("pids")->directory(), "/c/b");
    world.mounts = v2_mount("/");  // v1 is not mounted, so its figures are not visible
    EXPECT_FALSE(world.find().has_value());
}

TEST(CgroupPlace, ADockerMountShowsOnlyTheContainersPart) {
    const World world{"4:memory:/docker/1/job\n", v1_mount("/docker/1"), {"/m", "/m/job"}};
    const auto place = world.find();
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(place->directory(), "/m/job");
    EXPECT_EQ(place->path(), "/docker/1/job");
    EXPECT_EQ(place->view, CgroupView::own);
}

TEST(CgroupPlace, ALongerNameIsNotAChild) {
    const World world{"4:memory:/docker/12\n", v1_mount("/docker/1"), {"/m", "/m2"}};
    const auto place = world.find();
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(place->view, CgroupView::stand_in);
    EXPECT_EQ(place->directory(), "/m");
}

TEST(CgroupPlace, AnInvisibleDirectoryGivesTheNearestAncestor) {
    const auto place = World{"0::/a/b/c\n", v2_mount("/"), {"/c", "/c/a"}}.find();
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(place->directory(), "/c/a");
    EXPECT_EQ(place->view, CgroupView::ancestor);
}

TEST(CgroupPlace, ADeletedCgroupIsNotItsNamesake) {
    const auto place = World{"0::/a/b (deleted)\n", v2_mount("/"), {"/c", "/c/a", "/c/a/b"}}.find();
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(place->directory(), "/c/a");
    EXPECT_EQ(place->view, CgroupView::ancestor);
}

TEST(CgroupPlace, OutsideOfOurNamespaceThereIsNothingToSee) {
    EXPECT_FALSE((World{"0::/../other\n", v2_mount("/"), {"/c", "/c/../other"}}.find()));
    EXPECT_FALSE((World{"0::/..\n", v2_mount("/"), {"/c", "/c/.."}}.find()));
    EXPECT_FALSE((World{"0::/../..\n", v2_mount("/.."), {"/c", "/c/.."}}.find()));
}

TEST(CgroupPlace, AMountFromAboveOurNamespaceReachesItsSiblings) {
    const World world{"0::/../other\n", v2_mount("/.."), {"/c", "/c/other"}};
    ASSERT_TRUE(world.find().has_value());
    EXPECT_EQ(world.find()->directory(), "/c/other");
    // Our own directory is below it too, but nothing tells its name.
    const World own{"0::/job\n", v2_mount("/.."), {"/c"}};
    ASSERT_TRUE(own.find().has_value());
    EXPECT_EQ(own.find()->view, CgroupView::ancestor);
    EXPECT_EQ(own.find()->directory(), "/c");
}

TEST(CgroupPlace, OfSeveralMountsTheOneThatShowsMostIsTaken) {
    const World world{
        "4:memory:/docker/1\n",
        v1_mount("/elsewhere", "/x") + v1_mount("/docker/1", "/narrow") + v1_mount("/", "/wide"),
        {"/x", "/narrow", "/wide", "/wide/docker", "/wide/docker/1"}};
    EXPECT_EQ(world.find()->directory(), "/wide/docker/1");
}

TEST(CgroupPlace, NothingMountedIsNothing) {
    EXPECT_FALSE((World{"0::/a\n", "", {}}.find()));
    EXPECT_FALSE((World{"0::/a\n", v2_mount("/"), {}}.find()));
    EXPECT_FALSE((World{"", v2_mount("/"), {"/c"}}.find()));
    EXPECT_FALSE((World{"1:name=systemd:/\n", v2_mount("/"), {"/c"}}.find()));
}

TEST(PidCgroup, PathsMayHoldColonsAndHierarchiesSeveralControllers) {
    const auto memberships =
        parse_pid_cgroup("5:cpu,cpuacct:/a:b\n1:name=systemd:/\n0::/x\nnonsense\n7:q:relative\n");
    ASSERT_TRUE(memberships.ok());
    ASSERT_EQ(memberships->size(), 3U);
    EXPECT_EQ((*memberships)[0].controllers, (std::vector<std::string>{"cpu", "cpuacct"}));
    EXPECT_EQ((*memberships)[0].path, "/a:b");
    EXPECT_TRUE((*memberships)[2].controllers.empty());
    EXPECT_FALSE(parse_pid_cgroup("").ok());
}

}  // namespace
}  // namespace holdfast::sources
