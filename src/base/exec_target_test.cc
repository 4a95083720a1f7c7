#include "base/exec_target.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace holdfast {
namespace {

constexpr const char* ordinary = "/bin/sh";

class ExecTarget : public ::testing::Test {
protected:
    ExecTarget() {
        char name[] = "/tmp/holdfast-target-XXXXXX";
        folder_ = ::mkdtemp(name);
    }
    ~ExecTarget() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& bytes) const {
        const std::string path = folder_ + "/" + name;
        std::ofstream(path, std::ios::binary) << bytes;
        ::chmod(path.c_str(), 0755);
        return path;
    }
    // An ordinary program (not this test: it may be linked to a sanitizer) with a few bytes
    // changed.
    std::string changed(const std::string& name, const std::string& from,
                        const std::string& to) const {
        std::ifstream file(ordinary, std::ios::binary);
        std::string bytes(std::istreambuf_iterator<char>(file), {});
        bytes.replace(bytes.find(from), to.size(), to);
        return write(name, bytes);
    }

    std::string folder_;
};

TEST_F(ExecTarget, takesItsOwnKind) { EXPECT_TRUE(can_take_agent(ordinary)); }

TEST_F(ExecTarget, knowsWhoOnlyHandsItOn) {
    EXPECT_EQ(agent_target(ordinary), AgentTarget::loads);
    EXPECT_EQ(agent_target(write("script", std::string("#!") + ordinary + "\n").c_str()),
              AgentTarget::loads);
    EXPECT_EQ(agent_target("/nonexistent"), AgentTarget::hands_on);
}

TEST_F(ExecTarget, countsItsFilters) { EXPECT_GE(seccomp_filters(), 0); }

TEST_F(ExecTarget, leavesAnotherLoaderAlone) {
    const std::string musl = changed("musl", "/ld-linux-", "/ld-musl--");
    EXPECT_FALSE(can_take_agent(musl.c_str()));
}

TEST_F(ExecTarget, leaves32BitProgramsAlone) {
    std::string bytes(
        "\x7f"
        "ELF\x01\x01\x01",
        7);
    bytes.resize(200);
    EXPECT_FALSE(can_take_agent(write("old", bytes).c_str()));
}

TEST_F(ExecTarget, leavesSanitizedProgramsAlone) {
    const std::string sanitized = changed("sanitized", "libc.so.6", "libasan.so.8");
    EXPECT_FALSE(can_take_agent(sanitized.c_str()));
}

TEST_F(ExecTarget, judgesScriptsByTheirInterpreter) {
    const std::string musl = changed("musl", "/ld-linux-", "/ld-musl--");
    EXPECT_FALSE(can_take_agent(write("script", "#! " + musl + " -x\necho\n").c_str()));
    EXPECT_TRUE(can_take_agent(write("plain", std::string("#!") + ordinary + "\n").c_str()));
}

TEST_F(ExecTarget, hasNoObjectionToWhatItCannotJudge) {
    EXPECT_TRUE(can_take_agent("/nonexistent"));
    EXPECT_TRUE(can_take_agent(nullptr));
    EXPECT_TRUE(can_take_agent(write("short", "#!").c_str()));
    EXPECT_TRUE(can_take_agent(write("loop", "#!" + folder_ + "/loop\n").c_str()));
    EXPECT_TRUE(can_take_agent(write("cut",
                                     "\x7f"
                                     "ELF\x02\x01\x01")
                                   .c_str()));
}

TEST_F(ExecTarget, knowsASanitizerInAListByItsFileName) {
    const auto names = [](const std::string& list) {
        return names_sanitizer(list.data(), list.size());
    };
    EXPECT_TRUE(names("libasan.so.8"));
    EXPECT_TRUE(names("/opt/libm.so.6:/usr/lib/libtsan.so"));
    EXPECT_TRUE(names("/opt/libm.so.6 /usr/lib/clang/libclang_rt.asan-x86_64.so"));
    EXPECT_FALSE(names(""));
    EXPECT_FALSE(names("/home/hasan/libfaketime.so.1"));
    EXPECT_FALSE(names("/opt/libasan.so.d/libm.so.6"));
    EXPECT_FALSE(names("libmsantools.so:/opt/lsand.so"));
}

TEST_F(ExecTarget, looksNamesUpInPath) {
    changed("musl-program", "/ld-linux-", "/ld-musl--");
    const std::string before = ::getenv("PATH");
    ::setenv("PATH", ("/nonexistent:" + folder_).c_str(), 1);
    EXPECT_FALSE(can_take_agent_by_name("musl-program"));
    EXPECT_TRUE(can_take_agent_by_name("no-such-program"));
    ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace holdfast
