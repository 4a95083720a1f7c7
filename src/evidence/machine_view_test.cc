#include "evidence/machine_view.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace holdfast {
namespace {

namespace fs = std::filesystem;

class FixtureMachine : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "machine_view.XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        root_ = name;
        write("proc/self/mountinfo",
              "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
        write("proc/42/stat",
              "42 (py (x) thon) S 1 42 42 0 -1 4194304 100 0 0 0 10 5 0 0 20 0 1 0 777 1000000 "
              "200 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
        write("sys/fs/cgroup/cgroup.controllers", "memory pids\n");
        write("sys/fs/cgroup/job/memory.current", "1000\n");
        write("sys/fs/cgroup/job/memory.max", "4096\n");
        write("sys/fs/cgroup/job/memory.events",
              "low 0\nhigh 0\nmax 8\noom 3\noom_kill 2\noom_group_kill 0\n");
        write("sys/fs/cgroup/job/cgroup.procs", "");
    }
    void TearDown() override { fs::remove_all(root_); }

    void write(const std::string& name, const std::string& text) {
        const fs::path path = fs::path(root_) / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    std::string root_;
};

TEST_F(FixtureMachine, AProcessIsItsPidAndItsStartTime) {
    const MachineView machine = view_of_machine(root_);
    EXPECT_TRUE(machine.alive(42, 777));
    EXPECT_FALSE(machine.alive(42, 778));
    EXPECT_FALSE(machine.alive(43, 777));
    EXPECT_FALSE(machine.alive(-1, 777));
}

TEST_F(FixtureMachine, ACgroupIsFoundAgainByItsPath) {
    const auto now = view_of_machine(root_).cgroup(2, "/job");
    ASSERT_TRUE(now.ok()) << now.error().text;
    ASSERT_FALSE(now->reading.memory.empty());
    EXPECT_EQ(now->reading.memory[0].path, "/job");
    EXPECT_EQ(now->reading.memory[0].oom_kill, 2U);
}

TEST_F(FixtureMachine, ACgroupThatIsGoneIsNotItsParent) {
    EXPECT_FALSE(view_of_machine(root_).cgroup(2, "/job/gone").ok());
}

TEST(MachineView, WithoutAMachineThereIsNothingToAsk) {
    const MachineView machine = view_of_machine("/nonexistent");
    EXPECT_FALSE(machine.boot_id);
    EXPECT_FALSE(machine.alive);
    EXPECT_FALSE(machine.cgroup);
    EXPECT_FALSE(machine.kernel_log);
}

}  // namespace
}  // namespace holdfast
