#include "knowledge/schedulers.h"

#include <gtest/gtest.h>

#include <set>

#include "knowledge/launchers.h"
#include "knowledge/table.h"

namespace holdfast {
namespace {

TEST(Schedulers, AreFoundByKindAndByName) {
    const Scheduler* slurm = scheduler_of_kind("slurm");
    ASSERT_NE(slurm, nullptr);
    EXPECT_EQ(slurm->ends_at, "SLURM_JOB_END_TIME");
    EXPECT_EQ(scheduler_called("Slurm"), slurm);
    EXPECT_EQ(scheduler_of_kind("cron"), nullptr);
    EXPECT_EQ(scheduler_of_kind(""), nullptr);
    EXPECT_EQ(scheduler_called(""), nullptr);
}

// A misspelt property would be ignored without a word.
TEST(Schedulers, HaveOnlyPropertiesThatAreRead) {
    const std::set<std::string> known{"called",        "marked by", "job",          "ends at",
                                      "stopper",       "cgroup",    "raise memory", "save early",
                                      "look at tasks", "proof"};
    for (const knowledge::KnowledgeRow& row : knowledge::parse_table(knowledge::schedulers_text)) {
        EXPECT_EQ(row.fields.size(), 2U) << "line " << row.line;
        EXPECT_TRUE(known.count(row.fields[0])) << row.fields[0];
    }
}

TEST(Schedulers, StopTheirRanksAsLaunchersDo) {
    for (const Scheduler& scheduler : schedulers()) {
        EXPECT_FALSE(scheduler.called.empty()) << scheduler.kind;
        EXPECT_FALSE(scheduler.marked_by.empty()) << scheduler.kind;
        if (!scheduler.stopper.empty()) EXPECT_EQ(launcher_in(scheduler.stopper), scheduler.called);
    }
}

}  // namespace
}  // namespace holdfast
