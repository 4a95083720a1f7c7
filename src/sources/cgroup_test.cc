#include "sources/cgroup.h"

#include "sources/test_roots.h"

namespace holdfast::sources {
namespace {

TEST(Cgroup, V1NestedWithSwapAccounting) {
    auto cgroup = CgroupReader::of_process(fixture("v1"), 42);
    ASSERT_TRUE(cgroup.ok()) << cgroup.error().text;
    EXPECT_EQ(cgroup->version(), 1);
    EXPECT_EQ(cgroup->path(), "/job/inner");
    EXPECT_EQ(cgroup->view(), CgroupView::own);
    const CgroupReading reading = cgroup->read();
    ASSERT_EQ(reading.memory.size(), 3U);
    const CgroupMemoryLevel& inner = reading.memory[0];
    const CgroupMemoryLevel& job = reading.memory[1];
    const CgroupMemoryLevel& root = reading.memory[2];
    EXPECT_EQ(inner.limit, std::nullopt);  // 9223372036854771712 means no limit
    EXPECT_EQ(inner.oom_kill, 2U);
    EXPECT_EQ(inner.oom_kill_local, 2U);
    EXPECT_EQ(inner.oom, std::nullopt);
    EXPECT_EQ(job.path, "/job");
    EXPECT_EQ(job.limit, Bytes::mib(512));
    EXPECT_EQ(job.usage, Bytes::mib(450));
    EXPECT_EQ(job.peak, Bytes::mib(512));
    EXPECT_EQ(job.limit_hits, 17U);
    EXPECT_EQ(job.swap_limit, Bytes::mib(512));
    EXPECT_EQ(job.swap_usage, Bytes::mib(460));
    EXPECT_EQ(job.memsw_hits, 3U);
    EXPECT_EQ(job.oom_group, std::nullopt);
    EXPECT_EQ(job.stat.anon, Bytes::mib(300));  // the total, not the level's own 1
    EXPECT_EQ(job.stat.file, Bytes::mib(100));
    EXPECT_EQ(job.stat.shmem, Bytes::mib(40));
    EXPECT_EQ(job.stat.kernel, Bytes::mib(1));
    EXPECT_EQ(root.path, "/");
    EXPECT_EQ(root.swap_limit, std::nullopt);
    // 512 - 450 + 50 + 10 - 4 - 1, and the levels without a limit do not count.
    EXPECT_EQ(headroom(reading.memory), Bytes::mib(117));
}

TEST(Cgroup, V1PidsAreAHierarchyOfTheirOwn) {
    const auto cgroup = CgroupReader::of_process(fixture("v1"), 42);
    ASSERT_TRUE(cgroup.ok());
    const CgroupReading reading = cgroup->read();
    ASSERT_EQ(reading.pids.size(), 1U);  // the root has no figures
    EXPECT_EQ(reading.pids[0].path, "/job");
    EXPECT_EQ(reading.pids[0].limit, 100U);
    EXPECT_EQ(reading.pids[0].usage, 12U);
    EXPECT_EQ(reading.pids[0].refused, 5U);
}

TEST(Cgroup, MembersOfOtherPidNamespacesAreCountedNotNamed) {
    const auto cgroup = CgroupReader::of_process(fixture("v1"), 42);
    ASSERT_TRUE(cgroup.ok());
    const auto members = cgroup->members();
    ASSERT_TRUE(members.ok());
    EXPECT_EQ(members->pids, (std::vector<int>{42, 43, 77}));
    EXPECT_EQ(members->unseen, 1U);
    EXPECT_TRUE(members->complete);
    EXPECT_FALSE(cgroup->members(2)->complete);
}

TEST(Cgroup, V2NestedTellsOwnKillsFromThoseBelow) {
    auto cgroup = CgroupReader::of_process(fixture("v2"), 42);
    ASSERT_TRUE(cgroup.ok()) << cgroup.error().text;
    EXPECT_EQ(cgroup->version(), 2);
    const CgroupReading reading = cgroup->read();
    ASSERT_EQ(reading.memory.size(), 2U);  // the real root has no memory.current
    const CgroupMemoryLevel& own = reading.memory[0];
    EXPECT_EQ(own.path, "/train.slice/job.scope");
    EXPECT_EQ(own.limit, Bytes::mib(512));
    EXPECT_EQ(own.peak, Bytes::mib(512));
    EXPECT_EQ(own.high, std::nullopt);
    EXPECT_EQ(own.limit_hits, 7U);
    EXPECT_EQ(own.oom, 3U);
    EXPECT_EQ(own.oom_kill, 2U);
    EXPECT_EQ(own.oom_kill_local, 1U);
    EXPECT_EQ(own.oom_group, true);
    EXPECT_EQ(own.swap_limit, Bytes{0});  // a limit of nothing is a limit
    EXPECT_EQ(own.stat.kernel, Bytes::mib(8));
    EXPECT_EQ(reading.memory[1].swap_limit, std::nullopt);
    EXPECT_EQ(reading.memory[1].oom_group, false);
    EXPECT_EQ(reading.pids[0].limit, 64U);
    EXPECT_EQ(reading.pids[1].limit, std::nullopt);
    EXPECT_EQ(headroom(reading.memory), Bytes::mib(117));
}

TEST(Cgroup, TheQuickLookAgreesWithTheFullReading) {
    for (const char* name : {"v1", "v2", "hybrid", "container_v2", "docker_v1"}) {
        auto cgroup = CgroupReader::of_process(fixture(name), 42);
        ASSERT_TRUE(cgroup.ok()) << name;
        const auto looks = cgroup->look();
        const CgroupReading reading = cgroup->read();
        ASSERT_EQ(looks.size(), reading.memory.size()) << name;
        for (std::size_t i = 0; i < looks.size(); ++i) {
            EXPECT_TRUE(looks[i].usage.has_value());
            EXPECT_EQ(looks[i].usage, reading.memory[i].usage) << name;
            EXPECT_EQ(looks[i].oom_kill, reading.memory[i].oom_kill) << name;
        }
        EXPECT_EQ(looks[0].oom_kill_local, reading.memory[0].oom_kill_local) << name;
    }
}

TEST(Cgroup, AnOlderKernelHasNoPeakNoLocalEventsAndNoKernelFigure) {
    const auto cgroup = CgroupReader::of_process(fixture("v2"), 43);
    ASSERT_TRUE(cgroup.ok());
    const CgroupReading reading = cgroup->read();
    ASSERT_EQ(reading.memory.size(), 1U);
    EXPECT_EQ(reading.memory[0].peak, std::nullopt);
    EXPECT_EQ(reading.memory[0].oom_kill, 1U);
    EXPECT_EQ(reading.memory[0].oom_kill_local, std::nullopt);
    EXPECT_EQ(reading.memory[0].stat.kernel, std::nullopt);
    EXPECT_EQ(reading.memory[0].swap_limit, std::nullopt);
    EXPECT_TRUE(reading.pids.empty());
}

TEST(Cgroup, WithoutTheControllerALevelIsChargedToItsParent) {
    const auto cgroup = CgroupReader::of_process(fixture("v2"), 44);
    ASSERT_TRUE(cgroup.ok());
    EXPECT_EQ(cgroup->path(), "/train.slice");
}

TEST(Cgroup, ARemovedCgroupLeavesItsAncestor) {
    const auto cgroup = CgroupReader::of_process(fixture("v2"), 45);
    ASSERT_TRUE(cgroup.ok());
    EXPECT_EQ(cgroup->path(), "/train.slice");
    EXPECT_EQ(cgroup->view(), CgroupView::ancestor);
}

TEST(Cgroup, HybridTakesMemoryFromV1) {
    const auto cgroup = CgroupReader::of_process(fixture("hybrid"), 42);
    ASSERT_TRUE(cgroup.ok()) << cgroup.error().text;
    EXPECT_EQ(cgroup->version(), 1);
    const CgroupReading reading = cgroup->read();
    ASSERT_EQ(reading.memory.size(), 3U);
    EXPECT_EQ(reading.memory[0].limit, Bytes::gib(1));
    EXPECT_EQ(reading.memory[1].path, "/manager");
    EXPECT_TRUE(reading.pids.empty());
}

TEST(Cgroup, AContainersRootIsALevelOfItsOwn) {
    const auto cgroup = CgroupReader::of_process(fixture("container_v2"), 42);
    ASSERT_TRUE(cgroup.ok());
    EXPECT_EQ(cgroup->path(), "/");
    const CgroupReading reading = cgroup->read();
    ASSERT_EQ(reading.memory.size(), 1U);
    EXPECT_EQ(reading.memory[0].limit, Bytes::mib(512));
    EXPECT_EQ(headroom(reading.memory), Bytes::mib(412));
    EXPECT_EQ(CgroupReader::of_process(fixture("container_v2"), 50).error().number, ENOENT);
}

TEST(Cgroup, DockerOnV1WithoutANamespace) {
    const auto cgroup = CgroupReader::of_process(fixture("docker_v1"), 42);
    ASSERT_TRUE(cgroup.ok());
    EXPECT_EQ(cgroup->path(), "/docker/0123456789abcdef/job");
    EXPECT_EQ(cgroup->read().memory.size(), 2U);
    const auto other = CgroupReader::of_process(fixture("docker_v1"), 60);
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(other->view(), CgroupView::stand_in);
}

TEST(Cgroup, NoFiguresAnywhereIsAnOrdinaryAbsence) {
    EXPECT_EQ(CgroupReader::of_process(fixture("wsl"), 42).error().number, ENOENT);
    EXPECT_FALSE(CgroupReader::of_process(fixture("machine"), 42).ok());
    EXPECT_EQ(CgroupReader::of_process(fixture("machine"), 7).error().number, ENOENT);
}

TEST(Headroom, IsNeverMoreThanTheLimitNorLessThanNothing) {
    std::vector<CgroupMemoryLevel> levels(1);
    EXPECT_EQ(headroom(levels), std::nullopt);
    levels[0].limit = Bytes::mib(100);
    EXPECT_EQ(headroom(levels), std::nullopt);
    levels[0].usage = Bytes::mib(120);
    EXPECT_EQ(headroom(levels), Bytes{0});
    levels[0].usage = Bytes::mib(40);
    levels[0].stat.active_file = Bytes::mib(500);
    EXPECT_EQ(headroom(levels), Bytes::mib(100));
    levels[0].stat.active_file = Bytes::mib(10);
    levels[0].stat.dirty = Bytes::mib(30);
    EXPECT_EQ(headroom(levels), Bytes::mib(60));
}

TEST(CgroupFiles, LimitsAndCounts) {
    EXPECT_EQ(parse_cgroup_limit("max\n")->value, std::nullopt);
    EXPECT_EQ(parse_cgroup_limit("9223372036854771712\n")->value, std::nullopt);
    EXPECT_EQ(parse_cgroup_limit("9223372036854710272\n")->value, std::nullopt);  // 64 KiB pages
    EXPECT_EQ(parse_cgroup_limit("0\n")->value, 0U);
    EXPECT_FALSE(parse_cgroup_limit("").has_value());
    EXPECT_FALSE(parse_cgroup_limit("-1").has_value());
    EXPECT_FALSE(parse_cgroup_limit("99999999999999999999999").has_value());
    EXPECT_EQ(parse_cgroup_count("12\n"), 12U);
    EXPECT_EQ(parse_cgroup_count("12 13\n"), std::nullopt);
}

TEST(CgroupFiles, EventsTakeWholeNames) {
    const CgroupEvents events = parse_cgroup_events("low 1\nmax 2\noom 3\noom_kill 4\nmaximum 9\n");
    EXPECT_EQ(events.max, 2U);
    EXPECT_EQ(events.oom, 3U);
    EXPECT_EQ(events.oom_kill, 4U);
    EXPECT_EQ(events.oom_group_kill, std::nullopt);
    EXPECT_EQ(parse_cgroup_events("oom_kill \n").oom_kill, std::nullopt);
    EXPECT_EQ(parse_cgroup_events("oom_kill_disable 0\nunder_oom 0\n").oom_kill, std::nullopt);
}

}  // namespace
}  // namespace holdfast::sources
