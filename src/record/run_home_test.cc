#include "record/run_home.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/box_writer.h"
#include "record/run_directory.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

HomeFacts all_set() {
    HomeFacts environment;
    environment.holdfast_home = "/hf";
    environment.xdg_state_home = "/state";
    environment.home = "/home/me";
    environment.xdg_runtime_dir = "/run/user/7";
    environment.uid = 7;
    return environment;
}

const std::string id = "20261115-042447-123-1";

TEST(ChooseHome, FollowsTheOrderOfTheVariables) {
    HomeFacts environment = all_set();
    const std::vector<HomeCandidate> fallbacks = {
        {"/run/user/7/holdfast", false}, {"/dev/shm/holdfast-7", true}, {"/tmp/holdfast-7", true}};
    const auto with_first = [&](const std::string& first) {
        std::vector<HomeCandidate> all = fallbacks;
        all.insert(all.begin(), {first, false});
        return all;
    };
    EXPECT_EQ(choose_home(environment).candidates, with_first("/hf"));
    environment.holdfast_home = "";
    EXPECT_EQ(choose_home(environment).candidates, with_first("/state/holdfast"));
    environment.xdg_state_home = "relative";
    EXPECT_EQ(choose_home(environment).candidates, with_first("/home/me/.local/state/holdfast"));
    environment.home.reset();
    EXPECT_EQ(choose_home(environment).candidates, fallbacks);
}

TEST(UnfitForMapping, KnowsNetworkFileSystems) {
    EXPECT_TRUE(unfit_for_mapping(0x6969));
    EXPECT_TRUE(unfit_for_mapping(0x65735546));
    EXPECT_FALSE(unfit_for_mapping(0xef53));      // ext4
    EXPECT_FALSE(unfit_for_mapping(0x01021994));  // tmpfs
    EXPECT_FALSE(unfit_for_mapping(0x794c7630));  // overlayfs
}

TEST(RunHome, IsMadeWithItsParentsForUsOnly) {
    const TemporaryDirectory place;
    const std::string home = place / "a b/ключ";
    ASSERT_TRUE(open_home({home, false}, ::geteuid()));
    struct stat info {};
    ASSERT_EQ(::stat((home + "/runs").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST(RunHome, AReadOnlyHomeGivesWayToTheNext) {
    const TemporaryDirectory place;
    HomeFacts environment;
    // A file in place of a directory refuses everybody, root included.
    const UniqueFd file(::open((place / "file").c_str(), O_CREAT | O_WRONLY, 0600));
    environment.holdfast_home = place / "file/home";
    environment.uid = ::geteuid();
    environment.shared_memory = place.path();
    environment.temporary = place / "nowhere";  // the machine's own may hold runs
    const auto run = RunDirectory::create(choose_home(environment), id);
    ASSERT_TRUE(run) << run.error().text;
    EXPECT_TRUE(run->path().starts_with(place / "holdfast-")) << run->path();
    EXPECT_EQ(search_homes(environment),
              std::vector<std::string>{place / "holdfast-" + std::to_string(environment.uid)});
}

TEST(RunHome, NoPlaceAtAllIsOneErrorWithEveryReason) {
    const TemporaryDirectory place;
    HomeFacts environment;
    environment.shared_memory = place / "none";
    environment.temporary = place / "nothing";
    const auto run = RunDirectory::create(choose_home(environment), id);
    ASSERT_FALSE(run);
    EXPECT_NE(run.error().text.find("none"), std::string::npos);
    EXPECT_NE(run.error().text.find("nothing"), std::string::npos);
    EXPECT_EQ(run.error().text.find('\n'), std::string::npos);
}

TEST(RunHome, InAPublicPlaceALinkIsRefused) {
    const TemporaryDirectory place;
    ASSERT_EQ(::mkdir((place / "victim").c_str(), 0700), 0);
    ASSERT_EQ(::symlink("victim", (place / "holdfast-0").c_str()), 0);
    EXPECT_FALSE(open_home({place / "holdfast-0", true}, ::geteuid()));
    EXPECT_FALSE(std::filesystem::exists(place / "victim/runs"));
    HomeFacts environment;
    environment.uid = 0;
    environment.shared_memory = place.path();
    environment.temporary = place / "none";
    EXPECT_TRUE(search_homes(environment).empty());
}

TEST(RunHome, InAPublicPlaceAnOpenOrForeignDirectoryIsRefused) {
    const TemporaryDirectory place;
    const std::string home = place / "holdfast";
    ASSERT_EQ(::mkdir(home.c_str(), 0700), 0);
    ASSERT_EQ(::chmod(home.c_str(), 0777), 0);
    const auto open_to_all = open_home({home, true}, ::geteuid());
    ASSERT_FALSE(open_to_all);
    EXPECT_NE(open_to_all.error().text.find("open to other users"), std::string::npos);
    ASSERT_EQ(::chmod(home.c_str(), 0700), 0);
    EXPECT_TRUE(open_home({home, true}, ::geteuid()));
    const auto foreign = open_home({home, true}, ::geteuid() + 1);
    ASSERT_FALSE(foreign);
    EXPECT_NE(foreign.error().text.find("belongs to user"), std::string::npos);
}

const Accounts accounts{
    "root:x:0:0::/root:/bin/sh\nme:x:1000:1000::/home/me:/bin/sh\njo:x:1001:100::/home/jo:/bin/sh\n"
    "she:x:1002:100::/home/she:/bin/sh\nlab:x:1003:200::/home/lab:/bin/sh\n",
    "root:x:0:\nme:x:1000:\nusers:x:100:\nlab:x:200:me\nalone:x:300:me\nlab2:x:400:lab\n",
    "0 0 4294967295\n"};

TEST(OwnGroup, HasNobodyElseInIt) {
    EXPECT_TRUE(is_own_group(accounts, 1000, 1000));
    EXPECT_FALSE(is_own_group(accounts, 100, 1001)) << "she is in it too";
    EXPECT_FALSE(is_own_group(accounts, 200, 1003)) << "me is a member";
    EXPECT_FALSE(is_own_group(accounts, 400, 1000)) << "it is not ours";
    EXPECT_FALSE(is_own_group({}, 100, 1000)) << "unknown is not ours";
    EXPECT_TRUE(is_own_group({}, 1000, 1000)) << "a number of its own, as such groups have it";
}

TEST(RunHome, AHomeOrAParentThatOthersCanWriteToIsRefused) {
    const TemporaryDirectory place;
    const std::string home = place / "parent/home";
    const auto refusal = [&] {
        const auto runs = open_home({home, false}, ::geteuid());
        return runs ? std::string() : runs.error().text;
    };
    EXPECT_EQ(refusal(), "");
    ASSERT_EQ(::chmod((place / "parent").c_str(), 0777), 0);
    EXPECT_NE(refusal().find("parent can be written to by every user"), std::string::npos)
        << refusal();
    ASSERT_EQ(::chmod((place / "parent").c_str(), 01777), 0);
    EXPECT_EQ(refusal(), "") << "the sticky bit keeps others from what is ours";
    ASSERT_EQ(::chmod(home.c_str(), 0777), 0);
    EXPECT_NE(refusal().find("it can be written to by every user"), std::string::npos) << refusal();
    ASSERT_EQ(::chmod(home.c_str(), 0755), 0);
    EXPECT_EQ(refusal(), "");
    ASSERT_EQ(::chmod((home + "/runs").c_str(), 0777), 0);
    EXPECT_NE(refusal().find("/runs can be written to"), std::string::npos) << refusal();
    EXPECT_EQ(refusal().find('\n'), std::string::npos);
}

TEST(RunHome, AHomeInAnotherUsersDirectoryIsRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "giving a directory to another user needs root";
    const TemporaryDirectory place;
    const std::string home = place / "theirs/home";
    ASSERT_TRUE(open_home({home, false}, ::geteuid()));
    ASSERT_EQ(::chown((place / "theirs").c_str(), 12345, 12345), 0);
    const auto refused = open_home({home, false}, ::geteuid());
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text.find("theirs belongs to user 12345"), std::string::npos)
        << refused.error().text;
}

TEST(RunHome, AGroupMayWriteOnlyIfItIsOurOwn) {
    if (::geteuid() != 0) GTEST_SKIP() << "giving a directory to a group needs root";
    const TemporaryDirectory place;
    ASSERT_EQ(::chown(place.path().c_str(), 1000, 1000), 0);
    ASSERT_EQ(::chmod(place.path().c_str(), 0770), 0);
    const UniqueFd fd(::open(place.path().c_str(), O_RDONLY | O_DIRECTORY));
    EXPECT_TRUE(check_trusted(fd.get(), place.path(), 1000, accounts));
    ASSERT_EQ(::chown(place.path().c_str(), 1000, 200), 0);
    const Status shared = check_trusted(fd.get(), place.path(), 1000, accounts);
    ASSERT_FALSE(shared);
    EXPECT_NE(shared.error().text.find("by group 200"), std::string::npos) << shared.error().text;
}

TEST(RunHome, NobodyStandsForTheMachinesRootInAUserNamespace) {
    if (::geteuid() != 0) GTEST_SKIP() << "giving a directory to another user needs root";
    const TemporaryDirectory place;
    ASSERT_EQ(::chown(place.path().c_str(), 65534, 65534), 0);
    ASSERT_EQ(::chmod(place.path().c_str(), 0755), 0);
    const UniqueFd fd(::open(place.path().c_str(), O_RDONLY | O_DIRECTORY));
    EXPECT_FALSE(check_trusted(fd.get(), place.path(), 1000, accounts));
    Accounts inside = accounts;
    inside.uid_map = "         0       1000          1\n         1     100000      65533\n";
    EXPECT_TRUE(check_trusted(fd.get(), place.path(), 1000, inside));
}

TEST(RunHome, AStrangersFileInARunIsNotRead) {
    if (::geteuid() != 0) GTEST_SKIP() << "giving a file to another user needs root";
    const TemporaryDirectory place;
    RunHome home;
    home.candidates.push_back({place.path(), false});
    const auto run = RunDirectory::create(home, id);
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->write_file("verdict.json", "{}"));
    ASSERT_TRUE(run->read_file("verdict.json", 100));
    const std::string file = run->path() + "/verdict.json";
    ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(run->read_file("verdict.json", 100));
    ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
    ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
    EXPECT_FALSE(run->read_file("verdict.json", 100));
    ASSERT_EQ(::chmod(file.c_str(), 0664), 0);
    EXPECT_TRUE(run->read_file("verdict.json", 100)) << "copied under umask 002";
    ASSERT_EQ(::chmod(run->path().c_str(), 0777), 0);
    EXPECT_FALSE(RunDirectory::open(run->path()));
}

// A separate file system, removed with the test.
class SmallDisk : public ::testing::Test {
protected:
    bool mount(const std::string& options) {
        mounted_ = ::mount("tmpfs", place_.path().c_str(), "tmpfs", 0, options.c_str()) == 0;
        return mounted_;
    }
    ~SmallDisk() override {
        if (mounted_) ::umount2(place_.path().c_str(), MNT_DETACH);
    }
    TemporaryDirectory place_;
    bool mounted_ = false;
};

TEST_F(SmallDisk, AFullDiskGivesWayBeforeAnythingIsWritten) {
    if (!mount("size=1m")) GTEST_SKIP() << "mounting a tmpfs needs root";
    const auto home = open_home({place_ / "h", false}, ::geteuid());
    ASSERT_FALSE(home);
    EXPECT_EQ(home.error().number, ENOSPC);
}

TEST_F(SmallDisk, ADiskThatFillsUpMakesTheBoxAnErrorAndLeavesNoFile) {
    if (!mount("size=5m")) GTEST_SKIP() << "mounting a tmpfs needs root";
    RunHome home;
    home.candidates.push_back({place_ / "h", false});
    const auto run = RunDirectory::create(home, id);
    ASSERT_TRUE(run) << run.error().text;
    const UniqueFd filler(::open((place_ / "filler").c_str(), O_CREAT | O_WRONLY, 0600));
    ASSERT_EQ(::posix_fallocate(filler.get(), 0, 4 << 20), 0);
    const auto box = MachineBox::create(&*run, {});
    ASSERT_FALSE(box);
    EXPECT_EQ(box.error().number, ENOSPC);
    EXPECT_FALSE(std::filesystem::exists(run->path() + "/machine.box"));
}

}  // namespace
}  // namespace holdfast
