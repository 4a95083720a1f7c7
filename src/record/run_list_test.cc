#include "record/run_list.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "record/box_writer.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

using std::chrono::hours;

class RunList : public ::testing::Test {
protected:
    // A run that has ended; its lock is free again.
    std::string add(const std::string& id, const std::string& name = "", bool box = false) {
        RunHome home;
        home.candidates.push_back({place_.path(), false});
        const auto run = RunDirectory::create(home, id);
        EXPECT_TRUE(run);
        RunFacts facts;
        facts.id = id;
        facts.name = name;
        EXPECT_TRUE(run->write_facts(facts));
        if (box) {
            EXPECT_TRUE(MachineBox::create(&*run, {}));
        }
        return run->path();
    }
    std::vector<std::string> ids() const {
        std::vector<std::string> found;
        for (const RunEntry& run : list_runs(homes_)) found.push_back(run.id);
        return found;
    }
    std::string found_by(const std::string& word) const {
        const auto run = find_run(homes_, word);
        return run ? run->id() : "error " + std::to_string(run.error().number);
    }
    // Pretends that an hour has passed: prune() leaves new directories alone.
    static PruneOptions later(std::size_t keep) {
        PruneOptions options;
        options.keep = keep;
        options.now = wall_now() + hours(1);
        return options;
    }

    TemporaryDirectory place_;
    std::vector<std::string> homes_{place_.path()};
};

const std::string no_such = "error " + std::to_string(ENOENT);

TEST_F(RunList, NewestFirstAndOnlyRuns) {
    add("20261115-000000-000-9");
    add("20261116-000000-000-1");
    add("20261115-000000-001-1");
    ASSERT_EQ(::mkdir((place_ / "runs/my notes").c_str(), 0700), 0);
    std::ofstream(place_ / "runs/20261117-000000-000-1") << "a file";
    ASSERT_EQ(::symlink("/", (place_ / "runs/20261118-000000-000-1").c_str()), 0);
    homes_.push_back(place_ / "no home");
    EXPECT_EQ(ids(), (std::vector<std::string>{"20261116-000000-000-1", "20261115-000000-001-1",
                                               "20261115-000000-000-9"}));
}

TEST_F(RunList, ARunIsFoundByWhatPeopleType) {
    EXPECT_EQ(found_by(""), no_such);
    add("20261115-000000-000-1", "erster Lauf");
    add("20261115-000000-000-11", "実験");
    add("20261116-000000-000-1", "実験");
    EXPECT_EQ(found_by(""), "20261116-000000-000-1");
    EXPECT_EQ(found_by("last"), "20261116-000000-000-1");
    EXPECT_EQ(found_by("20261115-000000-000-1"), "20261115-000000-000-1");
    EXPECT_EQ(found_by("20261116"), "20261116-000000-000-1");
    EXPECT_EQ(found_by("erster Lauf"), "20261115-000000-000-1");
    EXPECT_EQ(found_by("実験"), "20261116-000000-000-1");
    EXPECT_EQ(found_by(place_ / "runs/20261115-000000-000-11"), "20261115-000000-000-11");
    EXPECT_EQ(found_by("2026111"), "error " + std::to_string(ENOTUNIQ));
    EXPECT_EQ(found_by("nobody"), no_such);
    EXPECT_EQ(found_by("/no/such/path"), no_such);
    EXPECT_EQ(found_by(".."), no_such);
}

TEST_F(RunList, PruneKeepsTheNewest) {
    for (int day = 10; day < 20; ++day) add("202611" + std::to_string(day) + "-000000-000-1");
    const Pruned pruned = prune(homes_, later(3));
    EXPECT_EQ(pruned.removed, 7U);
    EXPECT_TRUE(pruned.failures.empty());
    EXPECT_EQ(ids(), (std::vector<std::string>{"20261119-000000-000-1", "20261118-000000-000-1",
                                               "20261117-000000-000-1"}));
}

TEST_F(RunList, PruneKeepsDeathsThoughManyGoodRunsCameAfterThem) {
    const std::string death = add("20261101-000000-000-1", "", true);
    for (int day = 10; day < 20; ++day) {
        const std::string good = add("202611" + std::to_string(day) + "-000000-000-1");
        std::ofstream(good + "/verdict.json") << "{}";
    }
    EXPECT_EQ(prune(homes_, later(3)).removed, 7U);
    EXPECT_EQ(ids().size(), 4U);
    EXPECT_TRUE(std::filesystem::exists(death));
}

TEST_F(RunList, PruneKeepsWithinTheSize) {
    for (int day = 10; day < 14; ++day)
        add("202611" + std::to_string(day) + "-000000-000-1", "", true);
    PruneOptions options = later(20);
    options.max_total = Bytes::mib(4);
    const Pruned pruned = prune(homes_, options);
    EXPECT_EQ(pruned.removed, 2U);
    EXPECT_GE(pruned.freed, Bytes::mib(3));
    EXPECT_EQ(ids().size(), 2U);
}

TEST_F(RunList, PruneLeavesLiveAndYoungRunsAlone) {
    RunHome home;
    home.candidates.push_back({place_.path(), false});
    const auto live = RunDirectory::create(home, "20200101-000000-000-1");
    ASSERT_TRUE(live);
    add("20200101-000000-000-2");
    EXPECT_EQ(prune(homes_, {0, Bytes{}, hours(1), wall_now()}).removed, 0U);
    EXPECT_EQ(prune(homes_, later(0)).removed, 1U);
    EXPECT_EQ(ids(), std::vector<std::string>{"20200101-000000-000-1"});
    EXPECT_TRUE(live->is_live());
}

TEST_F(RunList, PruneRemovesARunThatHadTrouble) {
    const std::string run = add("20200101-000000-000-1");
    std::ofstream(run + "/trouble-stall.txt") << "not moving";
    EXPECT_EQ(prune(homes_, later(0)).removed, 1U);
    EXPECT_FALSE(std::filesystem::exists(run));
}

TEST_F(RunList, PruneTouchesNothingThatIsNotPlainlyARun) {
    const std::string with_guest = add("20200101-000000-000-1");
    std::ofstream(with_guest + "/thesis.tex") << "x";
    const std::string with_folder = add("20200101-000000-000-2");
    ASSERT_EQ(::mkdir((with_folder + "/x.json").c_str(), 0700), 0);
    ASSERT_EQ(::mkdir((place_ / "runs/notes").c_str(), 0700), 0);
    ASSERT_EQ(::symlink(with_guest.c_str(), (place_ / "runs/20200101-000000-000-3").c_str()), 0);
    EXPECT_EQ(prune(homes_, later(0)).removed, 0U);
    EXPECT_TRUE(std::filesystem::exists(with_guest + "/run.json"));
    EXPECT_TRUE(std::filesystem::exists(with_guest + "/thesis.tex"));
    EXPECT_TRUE(std::filesystem::exists(with_folder + "/run.json"));
    EXPECT_TRUE(std::filesystem::exists(place_ / "runs/notes"));
    EXPECT_TRUE(std::filesystem::is_symlink(place_ / "runs/20200101-000000-000-3"));
}

TEST_F(RunList, PruneLeavesAnotherUsersRunAlone) {
    if (::geteuid() != 0) GTEST_SKIP() << "giving a run to another user needs root";
    const std::string path = add("20200101-000000-000-1");
    ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
    EXPECT_EQ(prune(homes_, later(0)).removed, 0U);
    EXPECT_TRUE(std::filesystem::exists(path + "/run.json"));
}

}  // namespace
}  // namespace holdfast
