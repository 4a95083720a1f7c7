#include <gtest/gtest.h>

#include "evidence/gatherers.h"
#include "evidence/synthetic_record.h"

namespace holdfast {
namespace {

using Kind = KernelLogEntry::Kind;
using synthetic::second;
using synthetic::start;

constexpr const char* first_line =
    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=box,mems_allowed=0,"
    "oom_memcg=/job,task_memcg=/job/train,task=python,pid=100,uid=1000";
constexpr const char* second_line =
    "Memory cgroup out of memory: Killed process 100 (python) total-vm:900000kB, "
    "anon-rss:520000kB, file-rss:4000kB, shmem-rss:0kB, UID:1000 pgtables:1200kB oom_score_adj:0";

format::Event logged(std::int64_t at, const char* text) {
    format::Event event = synthetic::event(format::EventKind::kernel_log, at + second, text);
    event.d = start + at;
    return event;
}

const RunClock run_clock{start};

TEST(KernelLogEvidence, OneKillOfTwoLinesIsOneEntryAtItsOwnTime) {
    RunRecord record;
    record.events = {logged(5 * second, first_line), logged(5 * second + 10, second_line)};
    const auto log = gatherers::kernel_log(record, run_clock);
    ASSERT_EQ(log.size(), 1U);
    EXPECT_EQ(log[0].kind, Kind::oom_kill);
    EXPECT_EQ(log[0].time, Nanos(5 * second));
    EXPECT_EQ(log[0].pid, 100);
    EXPECT_EQ(log[0].task, "python");
    EXPECT_EQ(log[0].constraint, "CONSTRAINT_MEMCG");
    EXPECT_EQ(log[0].oom_memcg, "/job");
    EXPECT_EQ(log[0].task_memcg, "/job/train");
    EXPECT_EQ(log[0].anon_rss, Bytes::kib(520000));
}

TEST(KernelLogEvidence, TheListBeforeAKillTellsWhoHeldWhat) {
    RunRecord record;
    record.events = {
        logged(1, "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents name tgid "),
        logged(2, "[    100]     0   100    10000     1000    45056        0             0 python"),
        logged(3, "[    900]     0   900   100000    90000    45056        0             0 eater"),
        logged(5, first_line), logged(6, second_line)};
    const auto log = gatherers::kernel_log(record, run_clock);
    ASSERT_EQ(log.size(), 1U);
    ASSERT_EQ(log[0].holders.size(), 2U);
    EXPECT_EQ(log[0].holders[0].pid, 900);
    EXPECT_EQ(log[0].holders[0].name, "eater");
    EXPECT_EQ(log[0].holders[1].pid, 100);
}

TEST(KernelLogEvidence, TheSecondLineAloneTellsACgroupsKill) {
    RunRecord record;
    record.events = {logged(0, second_line)};
    const auto log = gatherers::kernel_log(record, run_clock);
    ASSERT_EQ(log.size(), 1U);
    EXPECT_EQ(log[0].constraint, "CONSTRAINT_MEMCG");
}

TEST(KernelLogEvidence, TheSecondLineAloneDoesNotTellWhetherTheWholeMachineWasShort) {
    RunRecord record;
    record.events = {logged(0,
                            "Out of memory: Killed process 100 (python) total-vm:900000kB, "
                            "anon-rss:520000kB, file-rss:4000kB, shmem-rss:0kB, UID:1000 "
                            "pgtables:1200kB oom_score_adj:0")};
    const auto log = gatherers::kernel_log(record, run_clock);
    ASSERT_EQ(log.size(), 1U);
    EXPECT_EQ(log[0].kind, Kind::oom_kill);
    EXPECT_EQ(log[0].constraint, "");
}

TEST(KernelLogEvidence, KillsOfTwoProcessesStayTwo) {
    RunRecord record;
    record.events = {logged(1, second_line),
                     logged(2,
                            "Memory cgroup out of memory: Killed process 101 (python) "
                            "total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 "
                            "pgtables:1kB oom_score_adj:0"),
                     logged(60 * second, second_line)};
    EXPECT_EQ(gatherers::kernel_log(record, run_clock).size(), 3U);
}

TEST(KernelLogEvidence, KnowsFaultsOfProgramsAndGpus) {
    RunRecord record;
    record.events = {
        logged(1,
               "python[100]: segfault at 10 ip 00007f0000001234 sp 00007ffc00000000 error 4 in "
               "libfast.so[7f0000000000+5000]"),
        logged(2, "NVRM: Xid (PCI:0000:01:00): 79, pid=100, name=python, GPU has fallen off")};
    const auto log = gatherers::kernel_log(record, run_clock);
    ASSERT_EQ(log.size(), 2U);
    EXPECT_EQ(log[0].kind, Kind::segfault);
    EXPECT_EQ(log[0].pid, 100);
    EXPECT_EQ(log[1].kind, Kind::gpu_fault);
    EXPECT_EQ(log[1].xid, 79);
}

TEST(KernelLogEvidence, AnXidKnownOnlyFromTheDriverIsTold) {
    RunRecord record;
    auto gpu = synthetic::unseen<format::Gpu>();
    gpu.index = 1;
    gpu.last_xid = 31;
    gpu.last_xid_time = start + 7 * second;
    record.gpus = {gpu};
    const auto log = gatherers::kernel_log(record, run_clock);
    ASSERT_EQ(log.size(), 1U);
    EXPECT_EQ(log[0].kind, Kind::gpu_fault);
    EXPECT_EQ(log[0].xid, 31);
    EXPECT_EQ(log[0].time, Nanos(7 * second));
}

}  // namespace
}  // namespace holdfast
