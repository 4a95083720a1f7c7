#include "record/run_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>

#include "record/box_writer.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

const std::string id = "20261115-042447-123-4242";

RunHome home_at(const std::string& path) {
    RunHome home;
    home.candidates.push_back({path, false});
    return home;
}

// Runs `work` in another process and returns its exit status. Fails the calling test if that is
// impossible.
template <class Work>
int in_child(Work work) {
    const pid_t child = ::fork();
    EXPECT_GE(child, 0);
    if (child == 0) ::_exit(work());
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(RunId, SortsByTime) {
    EXPECT_EQ(new_run_id(Nanos(1794716687123456789), 4242), "20261115-042447-123-4242");
    EXPECT_LT(new_run_id(Nanos(1794716687123456789), 9), new_run_id(Nanos(1794716687124000000), 1));
}

TEST(RunId, IsTellable) {
    for (const char* good : {"20261115-042447-123-1", "20261115-042447-123-4242-2"})
        EXPECT_TRUE(is_run_id(good)) << good;
    for (const char* bad :
         {"", "runs", "..", "20261115-042447-123-", "20261115-042447-123", "20261115-042447-123-4x",
          "20261115-042447-123-1-", "20261115-042447-123-1-x", "20261115_042447-123-1",
          "20261115-042447-123-1/..", "20261115-042447-123-12345678901"})
        EXPECT_FALSE(is_run_id(bad)) << bad;
}

TEST(RunDirectory, IsForUsOnly) {
    const TemporaryDirectory place;
    const auto run = RunDirectory::create(home_at(place.path()), id);
    ASSERT_TRUE(run) << run.error().text;
    ASSERT_TRUE(run->write_file("x.json", "{}"));
    struct stat info {};
    ASSERT_EQ(::stat(run->path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0700U);
    ASSERT_EQ(::stat((run->path() + "/x.json").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST(RunDirectory, ASecondRunOfTheSameIdGetsANumber) {
    const TemporaryDirectory place;
    const auto first = RunDirectory::create(home_at(place.path()), id);
    const auto second = RunDirectory::create(home_at(place.path()), id);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->id(), id);
    EXPECT_EQ(second->id(), id + "-2");
    EXPECT_TRUE(is_run_id(second->id()));
}

TEST(RunDirectory, RefusesAnIdThatIsAPath) {
    const TemporaryDirectory place;
    EXPECT_FALSE(RunDirectory::create(home_at(place.path()), "../../x"));
}

TEST(RunDirectory, FactsAreRewrittenWhole) {
    const TemporaryDirectory place;
    const auto run = RunDirectory::create(home_at(place.path()), id);
    ASSERT_TRUE(run);
    RunFacts facts;
    facts.id = id;
    facts.name = "ein Name";
    ASSERT_TRUE(run->write_facts(facts));
    facts.command_pid = 99;
    ASSERT_TRUE(run->write_facts(facts));
    const auto again = RunDirectory::open(run->path() + "//");
    ASSERT_TRUE(again) << again.error().text;
    const auto back = again->read_facts();
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(*back, facts);
    EXPECT_EQ(again->id(), id);
}

TEST(RunDirectory, IsLiveAsLongAsItsProcess) {
    const TemporaryDirectory place;
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto run = RunDirectory::create(home_at(place.path()), id);
        if (::write(ready[1], run ? "y" : "n", 1) != 1) ::_exit(1);
        for (;;) ::pause();
    }
    char word = 0;
    ASSERT_EQ(::read(ready[0], &word, 1), 1);
    ASSERT_EQ(word, 'y');
    const auto run = RunDirectory::open(place / "runs/" + id);
    ASSERT_TRUE(run) << run.error().text;
    EXPECT_TRUE(run->is_live());
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_FALSE(run->is_live());
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST(RunDirectory, LookingAtItsOwnRunDoesNotDropTheLock) {
    const TemporaryDirectory place;
    const auto run = RunDirectory::create(home_at(place.path()), id);
    ASSERT_TRUE(run);
    {
        const auto other = RunDirectory::open(run->path());
        ASSERT_TRUE(other);
        EXPECT_TRUE(other->is_live());
    }
    // Only another process can see whether the lock is still held.
    EXPECT_EQ(in_child([&] {
                  const int fd = ::open((run->path() + "/run.lock").c_str(), O_RDONLY);
                  struct flock lock {};
                  lock.l_type = F_WRLCK;
                  ::fcntl(fd, F_GETLK, &lock);
                  return lock.l_type == F_UNLCK ? 1 : 0;
              }),
              0);
}

TEST(RunDirectory, ShrinksToItsSummary) {
    const TemporaryDirectory place;
    const auto run = RunDirectory::create(home_at(place.path()), id);
    ASSERT_TRUE(run);
    ASSERT_TRUE(MachineBox::create(&*run, {}));
    ASSERT_TRUE(OutputBox::create(&*run, {}));
    ASSERT_TRUE(run->write_facts({}));
    ASSERT_TRUE(run->write_file(run_file::verdict, "{}"));
    ASSERT_TRUE(run->shrink());
    std::uintmax_t size = 0;
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run->path())) {
        names.insert(entry.path().filename());
        size += entry.file_size();
    }
    EXPECT_EQ(names, (std::set<std::string>{"run.json", "run.lock", "verdict.json"}));
    EXPECT_LE(size, 64U << 10U);
}

TEST(RunDirectory, OneFileThatCannotBeRemovedKeepsNoOther) {
    const TemporaryDirectory place;
    const auto run = RunDirectory::create(home_at(place.path()), id);
    ASSERT_TRUE(run);
    for (const char* name : {"a.box", "z.box", "run.json.7.tmp", "trouble-stall.txt"})
        ASSERT_TRUE(run->write_file(name, "x"));
    ASSERT_EQ(::mkdir((run->path() + "/m.box").c_str(), 0700), 0);
    EXPECT_FALSE(run->shrink());
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run->path()))
        names.insert(entry.path().filename());
    EXPECT_EQ(names, (std::set<std::string>{"m.box", "run.lock"}));
}

TEST(RunDirectory, WhatIsNoRunIsAnErrorWithEnoent) {
    const TemporaryDirectory place;
    std::ofstream(place / "file") << "x";
    ASSERT_EQ(::mkdir((place / "empty").c_str(), 0700), 0);
    ASSERT_EQ(::symlink("empty", (place / "link").c_str()), 0);
    for (const char* name : {"none", "file", "empty", "link", "link/"}) {
        const auto run = RunDirectory::open(place / name);
        ASSERT_FALSE(run) << name;
        EXPECT_EQ(run.error().number, ENOENT) << run.error().text;
    }
}

TEST(RunDirectory, KnowsWhichFilesItHasWhateverTheirSize) {
    const TemporaryDirectory place;
    const auto run = RunDirectory::create(home_at(place.path()), id);
    ASSERT_TRUE(run) << run.error().text;
    EXPECT_FALSE(run->has_file("note.txt"));
    ASSERT_TRUE(run->write_file("note.txt", "longer than a word"));
    EXPECT_TRUE(run->has_file("note.txt"));
}

TEST(RunDirectory, LinksInsideARunAreNotFollowed) {
    const TemporaryDirectory place;
    std::ofstream(place / "secret") << "{}";
    const auto run = RunDirectory::create(home_at(place / "h"), id);
    ASSERT_TRUE(run);
    ASSERT_EQ(::symlink((place / "secret").c_str(), (run->path() + "/run.json").c_str()), 0);
    EXPECT_FALSE(run->read_file("run.json", 100));
    ASSERT_TRUE(run->write_file("run.json", "new"));
    EXPECT_EQ(std::filesystem::file_size(place / "secret"), 2U);
}

TEST(RunDirectory, AnotherUsersRunSaysWhose) {
    if (::geteuid() != 0) GTEST_SKIP() << "giving a run to another user needs root";
    const TemporaryDirectory place;
    ASSERT_EQ(::chmod(place.path().c_str(), 0755), 0);
    std::string path;
    {
        const auto run = RunDirectory::create(home_at(place / "h"), id);
        ASSERT_TRUE(run);
        path = run->path();
    }
    ASSERT_EQ(::chmod((place / "h").c_str(), 0755), 0);
    ASSERT_EQ(::chmod((place / "h/runs").c_str(), 0755), 0);
    ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
    EXPECT_TRUE(RunDirectory::open(path)) << "root may read all";
    EXPECT_EQ(in_child([&] {
                  if (::setuid(54321) != 0) return 1;
                  const auto run = RunDirectory::open(path);
                  if (run || run.error().number != EACCES) return 2;
                  const std::string says = "run belongs to user 12345; ask them or use sudo";
                  return run.error().text.find(says) == std::string::npos ? 3 : 0;
              }),
              0);
}

}  // namespace
}  // namespace holdfast
