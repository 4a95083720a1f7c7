#include "record/run_record.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "record/box_writer.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

const std::string id = "20261115-042447-123-4242";

class ReadRun : public ::testing::Test {
protected:
    // A run whose supervisor wrote three looks and then was killed.
    void SetUp() override {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            record();
            ::raise(SIGKILL);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << status;
    }
    void record() const {
        RunHome home;
        home.candidates.push_back({place_.path(), false});
        auto run = RunDirectory::create(home, id);
        RunFacts facts;
        facts.id = id;
        facts.command = {"python", "train.py"};
        if (!run || !run->write_facts(facts)) ::_exit(1);
        auto machine = MachineBox::create(&*run, {});
        auto output = OutputBox::create(&*run, {});
        auto gpu = GpuBox::create(&*run, {});
        if (!machine || !output || !gpu) ::_exit(2);
        for (int i = 0; i < 3; ++i) {
            format::Sample sample{};
            sample.time = i;
            machine->samples.append(sample);
            machine->history.append(sample);
        }
        machine->cgroups.put(4, {});
        gpu->gpus.put(0, {});
        output->append("Killed\n");
    }
    Result<RunRecord> read() const {
        const auto run = RunDirectory::open(path());
        if (!run) return run.error();
        return read_run(*run);
    }
    std::string path(const std::string& name = "") const {
        return place_ / "runs/" + id + (name.empty() ? "" : "/" + name);
    }
    void damage(const std::string& name) const {
        std::ofstream(path(name), std::ios::trunc) << "not what it was";
    }

    TemporaryDirectory place_;
};

TEST_F(ReadRun, EverythingOfAKilledSupervisorIsThere) {
    const auto record = read();
    ASSERT_TRUE(record) << record.error().text;
    EXPECT_FALSE(record->live);
    ASSERT_TRUE(record->facts);
    EXPECT_EQ(record->facts->command[1], "train.py");
    ASSERT_TRUE(record->machine_header);
    EXPECT_EQ(record->samples.size(), 3U);
    EXPECT_EQ(record->history.size(), 1U);
    ASSERT_EQ(record->cgroups.size(), 1U);
    EXPECT_EQ(record->cgroups[0].slot, 4U);
    EXPECT_EQ(record->gpus.size(), 1U);
    ASSERT_TRUE(record->output);
    EXPECT_EQ(record->output->text, "Killed\n");
    EXPECT_FALSE(record->end);
    EXPECT_EQ(record->damage, std::vector<std::string>{});
}

TEST_F(ReadRun, EachLostPartIsSaidAndTheRestUsed) {
    damage("output.box");
    damage("gpu.box");
    damage("run.json");
    const auto record = read();
    ASSERT_TRUE(record) << record.error().text;
    EXPECT_FALSE(record->facts);
    EXPECT_FALSE(record->output);
    EXPECT_EQ(record->samples.size(), 3U);
    ASSERT_EQ(record->damage.size(), 3U);
    EXPECT_NE(record->damage[0].find("run.json"), std::string::npos);
    EXPECT_NE(record->damage[1].find("output.box"), std::string::npos);
    EXPECT_NE(record->damage[2].find("gpu.box"), std::string::npos);
}

TEST_F(ReadRun, AMissingMachineBoxIsSaid) {
    ASSERT_EQ(::unlink(path("machine.box").c_str()), 0);
    const auto record = read();
    ASSERT_TRUE(record) << record.error().text;
    EXPECT_FALSE(record->machine_header);
    EXPECT_EQ(record->damage, std::vector<std::string>{"machine.box: missing"});
}

TEST_F(ReadRun, OnlyFactsAndMachineBoxTogetherAreAnError) {
    damage("run.json");
    damage("machine.box");
    const auto record = read();
    ASSERT_FALSE(record);
    EXPECT_NE(record.error().text.find("run.json"), std::string::npos);
    EXPECT_NE(record.error().text.find("machine.box"), std::string::npos);
    EXPECT_EQ(record.error().text.find('\n'), std::string::npos);
}

TEST_F(ReadRun, ATruncatedBoxIsUsedAndSaid) {
    ASSERT_EQ(::truncate(path("machine.box").c_str(), 600'000), 0);
    const auto record = read();
    ASSERT_TRUE(record) << record.error().text;
    EXPECT_EQ(record->samples.size(), 3U);
    EXPECT_TRUE(record->cgroups.empty());
    EXPECT_EQ(record->damage, std::vector<std::string>{"machine.box: truncated"});
}

TEST_F(ReadRun, AShrunkRunIsNotDamaged) {
    const auto run = RunDirectory::open(path());
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->write_sealed(run_file::verdict, "{\"schema\": 1\n}\n"));
    ASSERT_TRUE(run->shrink());
    const auto record = read();
    ASSERT_TRUE(record) << record.error().text;
    EXPECT_EQ(record->verdict_json, "{\"schema\": 1\n}\n");
    EXPECT_EQ(record->damage, std::vector<std::string>{});
}

TEST(ReadRunWithoutDisk, ReadsTheBoxesInMemory) {
    auto machine = MachineBox::create(nullptr, {});
    ASSERT_TRUE(machine);
    machine->samples.append({});
    RunFacts facts;
    facts.id = id;
    BoxFds boxes;
    boxes.machine = machine->fd();
    const auto record = read_run(facts, boxes);
    ASSERT_TRUE(record) << record.error().text;
    EXPECT_EQ(record->samples.size(), 1U);
    EXPECT_EQ(record->id, id);
    EXPECT_FALSE(record->output);
    EXPECT_TRUE(record->damage.empty());
}

}  // namespace
}  // namespace holdfast
