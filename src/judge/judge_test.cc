#include "judge/judge.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "diagnose/diagnose.h"
#include "evidence/gather.h"
#include "evidence/synthetic_record.h"
#include "model/json.h"
#include "record/box_writer.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

const std::string id = "20261115-042447-123-4242";

// A finished run on disk, as `run` leaves it but for the verdict.
class JudgedRun : public ::testing::Test {
protected:
    void SetUp() override {
        RunHome home;
        home.candidates.push_back({place_.path(), false});
        auto made = RunDirectory::create(home, id);
        ASSERT_TRUE(made);
        RunFacts facts;
        facts.id = id;
        facts.command = {"python", "train.py"};
        ASSERT_TRUE(made->write_facts(facts));
        ASSERT_TRUE(MachineBox::create(&*made, {}));
    }
    Result<Verdict> judged(Judge how = Judge::once) const {
        const auto run = RunDirectory::open(place_ / "runs/" + id);
        if (!run) return run.error();
        return verdict_of(*run, how);
    }
    void keep(const std::string& verdict) const {
        const auto run = RunDirectory::open(place_ / "runs/" + id);
        ASSERT_TRUE(run && run->write_sealed(run_file::verdict, verdict));
    }

    TemporaryDirectory place_;
};

Verdict of_a_segfault() {
    RunRecord record = synthetic::run();
    record.end = synthetic::end(5 * synthetic::second, SIGSEGV);
    return judge(gather(record, {}));
}

TEST_F(JudgedRun, HasAVerdictWithoutOneOnDisk) {
    const auto verdict = judged();
    ASSERT_TRUE(verdict) << verdict.error().text;
    EXPECT_EQ(verdict->run.id, id);
    EXPECT_NE(verdict->root.cause, "segfault"_cause);
}

TEST_F(JudgedRun, KeepsTheVerdictMadeAtItsEnd) {
    keep(to_json(of_a_segfault()));
    const auto kept = judged();
    ASSERT_TRUE(kept) << kept.error().text;
    EXPECT_EQ(kept->root.cause, "segfault"_cause);
    const auto anew = judged(Judge::again);
    ASSERT_TRUE(anew);
    EXPECT_NE(anew->root.cause, "segfault"_cause);
}

TEST_F(JudgedRun, IsJudgedByItsRecordWhereTheKeptVerdictIsDamaged) {
    keep("{\"cause\": ");
    const auto verdict = judged();
    ASSERT_TRUE(verdict) << verdict.error().text;
    EXPECT_EQ(verdict->run.id, id);
}

TEST(Judge, QuotesTheLineOfThePlace) {
    const TemporaryDirectory place;
    const std::string file = place / "train.py";
    std::ofstream(file) << "import os\nos.abort()\n";
    RunRecord record = synthetic::run();
    record.end = synthetic::end(5 * synthetic::second, SIGABRT);
    Evidence evidence = gather(record, {});
    CrashEvidence crash;
    crash.pid = 100;
    crash.signal = SIGABRT;
    crash.python = {{"MainThread", {{file, 2, "<module>"}}}};
    evidence.crashes.push_back(crash);
    const Verdict verdict = judge(evidence);
    ASSERT_TRUE(verdict.end.where);
    EXPECT_EQ(verdict.end.where->text, "os.abort()");
    EXPECT_EQ(diagnose(evidence).end.where->text, "");
}

}  // namespace
}  // namespace holdfast
