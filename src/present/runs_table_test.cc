#include "present/runs_table.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "present/hostile_verdicts.h"
#include "present/page_rules.h"

namespace holdfast {
namespace {

std::vector<RunRow> two_runs() {
    return {
        {"20261115-2",
         "baseline",
         "python train.py --epochs 40",
         std::chrono::seconds(1794716687),
         {},
         "running",
         "",
         true,
         "/home/ada/.local/state/holdfast/runs/20261115-2"},
        {"20261115-1", "", "python eval.py --data /mnt/data/somewhere/far/away/from/here",
         std::chrono::seconds(1794716687), std::chrono::seconds(12), "died", "cgroup-oom", false}};
}

TEST(RunsTable, FitsTheLineAndCutsTheCommand) {
    EXPECT_EQ(runs_table(two_runs(), {}),
              "RUN         STARTED (UTC)     TOOK    OUTCOME  CAUSE       COMMAND\n"
              "20261115-2  2026-11-15 04:24  -       running  -           [baseline] python tr…\n"
              "20261115-1  2026-11-15 04:24  12.0 s  died     cgroup-oom  python eval.py --dat…\n");
}

TEST(RunsTable, DropsColumnsBeforeTheCommandIsUnreadable) {
    EXPECT_EQ(runs_table(two_runs(), {44, false, true}),
              "RUN         OUTCOME  COMMAND\n"
              "20261115-2  running  [baseline] python trai…\n"
              "20261115-1  died     python eval.py --data …\n");
}

TEST(RunsTable, SaysHowToStartWhenThereIsNone) {
    EXPECT_EQ(runs_table({}, {}), "no runs recorded yet: start one with holdfast run -- COMMAND\n");
}

TEST(RunsTable, AnythingAtAllFitsTheWidth) {
    testing::HostileVerdicts hostile(5);
    for (int i = 0; i < 10; ++i) {
        std::vector<RunRow> rows = two_runs();
        rows.push_back({hostile.text(), hostile.text(), hostile.text(), Nanos(i), Nanos(i),
                        hostile.text(), hostile.text(), false});
        testing::for_each_style([&](const Style& style) {
            EXPECT_EQ(testing::broken_rule(runs_table(rows, style), style), "");
        });
    }
}

TEST(RunsJson, UnknownIsNull) {
    const Json document = *Json::parse(runs_json(two_runs()));
    EXPECT_EQ(document["schema"], 1);
    const Json& runs = document["runs"];
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_TRUE(runs[0]["duration_seconds"].is_null());
    EXPECT_TRUE(runs[0]["cause"].is_null());
    EXPECT_EQ(runs[0]["live"], true);
    EXPECT_EQ(runs[0]["directory"], "/home/ada/.local/state/holdfast/runs/20261115-2");
    EXPECT_EQ(runs[1]["duration_seconds"], 12.0);
    EXPECT_EQ(runs[1]["cause"], "cgroup-oom");
    EXPECT_EQ(runs[1]["started"], "2026-11-15T04:24:47.000Z");
}

}  // namespace
}  // namespace holdfast
