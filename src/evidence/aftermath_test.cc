#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "evidence/gather.h"
#include "evidence/synthetic_record.h"

namespace holdfast {
namespace {

using synthetic::second;
using synthetic::start;

// A machine of the same boot, ten seconds after the run's start; no process of the run lives.
MachineView quiet_machine() {
    MachineView machine;
    machine.boot_id = sources::parse_boot_id(synthetic::boot);
    machine.now = Nanos(start + 10 * second);
    machine.alive = [](int, std::uint64_t) { return false; };
    return machine;
}

CgroupNow cgroup_now(std::uint64_t kills) {
    CgroupNow now;
    now.reading.memory.resize(1);
    now.reading.memory[0].path = "/job/train";
    now.reading.memory[0].oom_kill = kills;
    now.reading.memory[0].limit_hits = 40;
    return now;
}

RunRecord with_cgroup(std::uint64_t kills_recorded) {
    RunRecord record = synthetic::run();
    record.cgroups = {synthetic::cgroup(3, "/job/train")};
    record.cgroups[0].record.levels[0].oom_kill_first = 1;
    record.cgroups[0].record.levels[0].oom_kill = kills_recorded;
    record.cgroups[0].record.levels[0].limit_hits = 20;
    record.processes[0].cgroup = 3;
    return record;
}

bool lacks(const Evidence& evidence, MissingKind what, const std::string& detail = {}) {
    const Missing sought{what, detail};
    return std::find(evidence.missing.begin(), evidence.missing.end(), sought) !=
           evidence.missing.end();
}

TEST(Aftermath, ARunWithItsEndRecordedNeedsNoMachine) {
    RunRecord record = with_cgroup(1);
    record.end = synthetic::end(5 * second, SIGKILL);
    MachineView machine = quiet_machine();
    machine.cgroup = [](int, const std::string&) -> Result<CgroupNow> { return cgroup_now(9); };
    const Evidence evidence = gather(record, machine);
    EXPECT_TRUE(evidence.ended);
    EXPECT_FALSE(evidence.supervisor_lost);
    EXPECT_TRUE(evidence.cgroups[0].kills.empty());
    EXPECT_EQ(evidence.cgroups[0].levels[0].oom_kill_last, 1U);
}

TEST(Aftermath, ALiveRunIsRunning) {
    RunRecord record = synthetic::run();
    record.live = true;
    const Evidence evidence = gather(record, quiet_machine());
    EXPECT_FALSE(evidence.supervisor_lost);
    EXPECT_FALSE(evidence.ended);
    EXPECT_TRUE(evidence.command_alive);
}

TEST(Aftermath, ALostSupervisorWithALivingCommandIsSaid) {
    MachineView machine = quiet_machine();
    machine.alive = [](int pid, std::uint64_t ticks) { return pid == 100 && ticks == 6; };
    const Evidence evidence = gather(synthetic::run(), machine);
    EXPECT_TRUE(evidence.supervisor_lost);
    EXPECT_TRUE(evidence.command_alive);
    EXPECT_FALSE(evidence.ended);
    EXPECT_TRUE(lacks(evidence, MissingKind::lost_but_command_runs, "was lost"));
}

TEST(Aftermath, AnotherProcessWithTheCommandsPidIsNotTheCommand) {
    MachineView machine = quiet_machine();
    machine.alive = [](int pid, std::uint64_t ticks) { return pid == 100 && ticks == 777; };
    EXPECT_FALSE(gather(synthetic::run(), machine).command_alive);
}

TEST(Aftermath, AKillSinceTheLastLookIsFound) {
    MachineView machine = quiet_machine();
    machine.cgroup = [](int version, const std::string& path) -> Result<CgroupNow> {
        EXPECT_EQ(version, 2);
        EXPECT_EQ(path, "/job/train");
        return cgroup_now(2);
    };
    const Evidence evidence = gather(with_cgroup(1), machine);
    EXPECT_TRUE(evidence.supervisor_lost);
    EXPECT_FALSE(evidence.command_alive);
    ASSERT_EQ(evidence.cgroups[0].kills.size(), 1U);
    const OomKillMoved& kill = evidence.cgroups[0].kills[0];
    EXPECT_EQ(kill.after, Nanos(second));
    EXPECT_EQ(kill.noticed, Nanos(10 * second));
    EXPECT_EQ(kill.before_count, 1U);
    EXPECT_EQ(kill.after_count, 2U);
    EXPECT_EQ(evidence.cgroups[0].levels[0].limit_hits_last, 40U);
}

TEST(Aftermath, AKillTheSupervisorStillWroteDownIsNotCountedTwice) {
    RunRecord record = with_cgroup(1);
    format::Event moved = synthetic::event(format::EventKind::oom_kill_moved, 2 * second);
    moved.a = 3;
    moved.b = 1;
    moved.c = 2;
    moved.d = start + second;
    record.events = {moved};
    MachineView machine = quiet_machine();
    machine.cgroup = [](int, const std::string&) -> Result<CgroupNow> { return cgroup_now(2); };
    EXPECT_EQ(gather(record, machine).cgroups[0].kills.size(), 1U);
}

TEST(Aftermath, ACgroupMadeAnewUnderTheOldNameSaysNothing) {
    MachineView machine = quiet_machine();
    machine.cgroup = [](int, const std::string&) -> Result<CgroupNow> { return cgroup_now(0); };
    const Evidence evidence = gather(with_cgroup(1), machine);
    EXPECT_TRUE(evidence.cgroups[0].kills.empty());
    EXPECT_EQ(evidence.cgroups[0].levels[0].limit_hits_last, 20U);
}

TEST(Aftermath, AfterAnotherBootNothingIsCompared) {
    MachineView machine = quiet_machine();
    machine.boot_id = sources::parse_boot_id("99999999-2222-3333-4444-555555555555");
    machine.alive = [](int, std::uint64_t) { return true; };
    machine.cgroup = [](int, const std::string&) -> Result<CgroupNow> {
        ADD_FAILURE() << "asked for a cgroup of another boot";
        return cgroup_now(9);
    };
    machine.kernel_log = []() -> Result<KernelLogNow> {
        ADD_FAILURE() << "asked for the log of another boot";
        return KernelLogNow{};
    };
    const Evidence evidence = gather(with_cgroup(1), machine);
    EXPECT_TRUE(evidence.supervisor_lost);
    EXPECT_FALSE(evidence.command_alive);
    EXPECT_TRUE(lacks(evidence, MissingKind::restarted));
}

sources::KernelRecord kill_of(int pid, std::int64_t at) {
    sources::KernelRecord record;
    record.time = Nanos(at);
    record.text = "Memory cgroup out of memory: Killed process " + std::to_string(pid) +
                  " (python) total-vm:900kB, anon-rss:520kB, file-rss:4kB, shmem-rss:0kB, UID:0 "
                  "pgtables:12kB oom_score_adj:0";
    return record;
}

TEST(Aftermath, TheKernelLogIsReadForTheTimeOfTheRunOnly) {
    MachineView machine = quiet_machine();
    machine.kernel_log = []() -> Result<KernelLogNow> {
        KernelLogNow log;
        log.records = {kill_of(50, start - 60 * second), kill_of(100, start + 4 * second)};
        sources::KernelRecord forged = kill_of(100, start + 5 * second);
        forged.facility = 1;
        log.records.push_back(forged);
        return log;
    };
    const Evidence evidence = gather(synthetic::run(), machine);
    ASSERT_EQ(evidence.kernel_log.size(), 1U);
    EXPECT_EQ(evidence.kernel_log[0].pid, 100);
    EXPECT_EQ(evidence.kernel_log[0].time, Nanos(4 * second));
}

TEST(Aftermath, AnUnreadableKernelLogIsMissing) {
    MachineView machine = quiet_machine();
    machine.kernel_log = []() -> Result<KernelLogNow> { return Error{"no", EPERM}; };
    EXPECT_TRUE(lacks(gather(synthetic::run(), machine), MissingKind::kernel_log_closed_now));
}

TEST(Aftermath, AnEndHalfCollectedIsAnEndAllTheSame) {
    RunRecord record = synthetic::run();
    record.end = synthetic::end(5 * second, 3 << 8);
    record.end->complete = 0;
    const Evidence evidence = gather(record, quiet_machine());
    EXPECT_TRUE(evidence.ended);
    EXPECT_TRUE(evidence.supervisor_lost);
    EXPECT_EQ(evidence.exit.code, 3);
}

format::Event loss(std::int64_t reason, bool passed_on) {
    format::Event lost = synthetic::event(format::EventKind::supervisor_lost, 4 * second);
    lost.a = reason;
    lost.b = passed_on ? 1 : 0;
    return lost;
}

TEST(Aftermath, TheEndThatTheSentryWroteCounts) {
    RunRecord record = synthetic::run();
    record.events = {loss(2, false)};
    record.end = synthetic::end(5 * second, 0);
    record.end->complete = 0;
    const Evidence evidence = gather(record, quiet_machine());
    EXPECT_TRUE(evidence.supervisor_lost);
    EXPECT_TRUE(evidence.ended);
    EXPECT_EQ(evidence.exit.code, 0);
    EXPECT_TRUE(lacks(evidence, MissingKind::lost_at_known_end, "crashed"));
}

TEST(Aftermath, AnEndWhoseStatusNobodySawIsNotAKill) {
    RunRecord record = synthetic::run();
    record.events = {loss(1, false)};
    record.end = synthetic::end(5 * second, -1);
    record.end->complete = 0;
    const Evidence evidence = gather(record, quiet_machine());
    EXPECT_TRUE(evidence.ended);
    EXPECT_FALSE(evidence.exit.code);
    EXPECT_FALSE(evidence.exit.signal);
    EXPECT_TRUE(lacks(evidence, MissingKind::lost_at_unknown_end, "was killed with SIGKILL"));
}

TEST(Aftermath, AFinishedCrashRecordTellsTheEndThatNobodyWaitedFor) {
    RunRecord record = synthetic::run();
    CrashRecord crash;
    crash.pid = 100;
    crash.signal = SIGSEGV;
    crash.time = Nanos(start + 3 * second);
    crash.finished = true;
    record.crashes = {crash};
    Evidence evidence = gather(record, quiet_machine());
    EXPECT_TRUE(evidence.ended);
    EXPECT_EQ(evidence.exit.signal, SIGSEGV);
    EXPECT_EQ(evidence.end_time, Nanos(3 * second));
    record.crashes[0].survived = true;
    evidence = gather(record, quiet_machine());
    EXPECT_FALSE(evidence.exit.signal);
}

TEST(Aftermath, AnExitThatItsAgentRecordedTellsTheEnd) {
    RunRecord record = synthetic::run();
    AgentRecord agent;
    agent.pid = 100;
    agent.taken = start;
    agent.exit.emplace();
    agent.exit->time = start + 3 * second;
    agent.exit->kind = format::AgentExitKind::c_exit;
    agent.exit->status = 0;
    record.agents = {agent};
    EXPECT_FALSE(gather(record, quiet_machine()).exit.code);  // killed on the way out, perhaps
    record.agents[0].ended = start + 3 * second;
    const Evidence evidence = gather(record, quiet_machine());
    EXPECT_EQ(evidence.exit.code, 0);
    EXPECT_TRUE(evidence.ended);
}

}  // namespace
}  // namespace holdfast
