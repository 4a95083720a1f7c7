// The cgroups of the machine that the tests run on: reads figures back, and counts a real OOM kill.
// Needs root and a writable memory controller, and says so if they are missing.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "sources/cgroup.h"
#include "sources/test_roots.h"

namespace holdfast::sources {
namespace {

constexpr std::size_t limit = std::size_t{32} << 20U;

bool write_to(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text << std::flush;
    return file.good();
}

class CgroupMachine : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "needs root to make a cgroup";
        // Next to our own: the tests may themselves run below a limit.
        auto own = CgroupReader::of_process(roots_, ::getpid());
        if (!own || own->directory().empty()) GTEST_SKIP() << "no memory controller is visible";
        version_ = own->version();
        // In v2, a cgroup that passes controllers down may have no processes, so create a sibling.
        const std::string base =
            version_ == 1 ? own->directory()
                          : std::filesystem::path(own->directory()).parent_path().string();
        directory_ = base + "/sources-test-" + std::to_string(::getpid());
        if (::mkdir(directory_.c_str(), 0755) != 0) {
            const std::string reason = std::strerror(errno);
            directory_.clear();
            GTEST_SKIP() << "cannot make a cgroup in " << base << ": " << reason;
        }
        const char* name = version_ == 1 ? "/memory.limit_in_bytes" : "/memory.max";
        if (!write_to(directory_ + name, std::to_string(limit)))
            GTEST_SKIP() << "cannot set a memory limit in " << directory_;
        // With swap, memory would grow past the limit.
        write_to(directory_ + (version_ == 1 ? "/memory.memsw.limit_in_bytes" : "/memory.swap.max"),
                 version_ == 1 ? std::to_string(limit) : "0");
    }
    void TearDown() override {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        if (!directory_.empty()) ::rmdir(directory_.c_str());
    }
    // A child in the cgroup that waits for a byte, then runs `act`.
    template <class Act>
    void start(Act act) {
        int ends[2] = {-1, -1};
        ASSERT_EQ(::pipe(ends), 0);
        child_ = ::fork();
        ASSERT_GE(child_, 0);
        if (child_ == 0) {
            char byte = 0;
            ::close(ends[1]);
            while (::read(ends[0], &byte, 1) < 0) {
            }
            act();
            ::_exit(0);
        }
        ::close(ends[0]);
        go_.reset(ends[1]);
        ASSERT_TRUE(write_to(directory_ + "/cgroup.procs", std::to_string(child_)));
    }

    Roots roots_ = machine();
    int version_ = 0;
    std::string directory_;
    pid_t child_ = -1;
    UniqueFd go_;
};

TEST_F(CgroupMachine, TheLimitAndTheMembersReadBack) {
    start([] {});
    const auto cgroup = CgroupReader::of_process(roots_, child_);
    ASSERT_TRUE(cgroup.ok()) << cgroup.error().text;
    EXPECT_EQ(cgroup->directory(), directory_);
    EXPECT_EQ(cgroup->view(), CgroupView::own);
    const CgroupReading reading = cgroup->read();
    ASSERT_FALSE(reading.memory.empty());
    EXPECT_EQ(reading.memory[0].limit, Bytes{limit});
    EXPECT_TRUE(reading.memory[0].usage.has_value());
    const auto room = headroom(reading.memory);
    ASSERT_TRUE(room.has_value());
    EXPECT_LE(*room, Bytes{limit});
    const auto members = cgroup->members();
    ASSERT_TRUE(members.ok()) << members.error().text;
    EXPECT_EQ(members->pids, (std::vector<int>{child_}));
    EXPECT_EQ(cgroup->userspace_oom_mark(), std::nullopt);
}

TEST_F(CgroupMachine, ARealOomKillIsCountedOnce) {
    start([] {
        for (;;) {
            constexpr std::size_t piece = std::size_t{4} << 20U;
            void* memory = ::malloc(piece);
            if (memory == nullptr) ::_exit(1);
            std::memset(memory, 1, piece);
            asm volatile("" : : "r"(memory) : "memory");
        }
    });
    auto cgroup = CgroupReader::of_process(roots_, child_);
    ASSERT_TRUE(cgroup.ok()) << cgroup.error().text;
    const CgroupLook before = cgroup->look()[0];
    if (!before.oom_kill) GTEST_SKIP() << "this kernel does not count OOM kills per cgroup";
    go_.reset();
    int status = 0;
    ASSERT_EQ(::waitpid(child_, &status, 0), child_);
    child_ = -1;
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    const CgroupLook after = cgroup->look()[0];
    EXPECT_EQ(*after.oom_kill, *before.oom_kill + 1);
    EXPECT_EQ(after.oom_kill_local.value_or(1), before.oom_kill_local.value_or(0) + 1);
    EXPECT_GE(cgroup->read().memory[0].peak.value_or(Bytes{limit}), Bytes{limit / 2});
}

TEST_F(CgroupMachine, ARemovedCgroupReadsAsUnknown) {
    start([] {});
    auto cgroup = CgroupReader::of_process(roots_, child_);
    ASSERT_TRUE(cgroup.ok());
    go_.reset();
    ASSERT_EQ(::waitpid(child_, nullptr, 0), child_);
    child_ = -1;
    ASSERT_EQ(::rmdir(directory_.c_str()), 0);
    directory_.clear();
    EXPECT_EQ(cgroup->look()[0].usage, std::nullopt);
    EXPECT_EQ(cgroup->look()[0].oom_kill, std::nullopt);
    EXPECT_EQ(cgroup->read().memory[0].limit, std::nullopt);
    EXPECT_FALSE(cgroup->members().ok());
}

}  // namespace
}  // namespace holdfast::sources
