#include "supervise/local_path.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/unique_fd.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

class LocalPath : public ::testing::Test {
protected:
    LocalPath() {
        std::filesystem::create_directories(folder_ / "code");
        std::filesystem::create_directories(folder_ / "share");
        const auto link = [this](const char* to, const char* name) {
            std::filesystem::create_symlink(to, folder_ / name);
        };
        link("code", "here");
        link("share", "there");
        link("round", "round");
        std::filesystem::create_symlink(folder_ / "code", folder_ / "absolute");
    }
    std::optional<std::string> found(const char* path) const {
        sources::Mount everything;
        everything.point = "/";
        everything.type = "ext4";
        sources::Mount server;
        server.point = (folder_ / "share").string();
        server.type = "nfs4";
        return local_path(self_.get(), {everything, server}, (folder_ / path).string());
    }

    TemporaryDirectory temporary_;
    std::filesystem::path folder_ = std::filesystem::canonical(temporary_.path());
    UniqueFd self_{::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(LocalPath, HasNoLinksLeft) {
    const std::string expected = (folder_ / "code/train.py").string();
    for (const char* path :
         {"code/train.py", "here/train.py", "absolute/train.py", "code/../here/./train.py"})
        EXPECT_EQ(found(path), expected) << path;
}

TEST_F(LocalPath, NeverLeadsToAServer) {
    for (const char* path : {"share/train.py", "there/train.py", "share/../code/train.py"})
        EXPECT_FALSE(found(path)) << path;
}

TEST_F(LocalPath, OfLinksThatGoRoundIsNone) { EXPECT_FALSE(found("round/train.py")); }

}  // namespace
}  // namespace holdfast
