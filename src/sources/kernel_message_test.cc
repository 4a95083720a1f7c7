#include "sources/kernel_message.h"

#include <gtest/gtest.h>

namespace holdfast::sources {
namespace {

KernelRecord line(std::string text, int facility = 0) {
    KernelRecord record;
    record.facility = facility;
    record.text = std::move(text);
    return record;
}

TEST(OomKillLine, TheLineWithTheCgroups) {
    const auto kill = parse_oom_kill(
        line("oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,"
             "oom_memcg=/a,task_memcg=/a/b,task=python,pid=123,uid=1000"));
    ASSERT_TRUE(kill.has_value());
    EXPECT_EQ(kill->pid, 123);
    EXPECT_EQ(kill->task, "python");
    EXPECT_EQ(kill->uid, 1000U);
    EXPECT_EQ(kill->constraint, "CONSTRAINT_MEMCG");
    EXPECT_EQ(kill->oom_memcg, "/a");
    EXPECT_EQ(kill->task_memcg, "/a/b");
    EXPECT_EQ(kill->anon_rss, std::nullopt);
}

TEST(OomKillLine, OfTheWholeMachine) {
    const auto kill = parse_oom_kill(
        line("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,"
             "global_oom,task_memcg=/user.slice,task=python3,pid=9,uid=0"));
    ASSERT_TRUE(kill.has_value());
    EXPECT_EQ(kill->constraint, "CONSTRAINT_NONE");
    EXPECT_EQ(kill->oom_memcg, "");
    EXPECT_EQ(kill->task_memcg, "/user.slice");
}

TEST(OomKillLine, TheLineWithTheSizes) {
    const auto kill = parse_oom_kill(
        line("Memory cgroup out of memory: Killed process 123 (python) total-vm:2000kB, "
             "anon-rss:1000kB, file-rss:20kB, shmem-rss:4kB, UID:1000 pgtables:80kB "
             "oom_score_adj:0"));
    ASSERT_TRUE(kill.has_value());
    EXPECT_EQ(kill->pid, 123);
    EXPECT_EQ(kill->task, "python");
    EXPECT_EQ(kill->at_cgroup_limit, true);
    EXPECT_EQ(kill->total_vm, Bytes::kib(2000));
    EXPECT_EQ(kill->anon_rss, Bytes::kib(1000));
    EXPECT_EQ(kill->file_rss, Bytes::kib(20));
    EXPECT_EQ(kill->shmem_rss, Bytes::kib(4));
    EXPECT_EQ(kill->uid, 1000U);
    const auto host = parse_oom_kill(
        line("Out of memory: Killed process 5 (x) total-vm:1kB, anon-rss:1kB, file-rss:0kB"));
    ASSERT_TRUE(host.has_value());
    EXPECT_EQ(host->at_cgroup_limit, false);
    EXPECT_EQ(host->shmem_rss, std::nullopt);
    const auto old = parse_oom_kill(line("Killed process 6 (x) total-vm:1kB, anon-rss:1kB"));
    ASSERT_TRUE(old.has_value());
    EXPECT_EQ(old->at_cgroup_limit, std::nullopt);
}

TEST(OomKillLine, AProgramsNameCannotChangeTheVictim) {
    const auto first = parse_oom_kill(
        line("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,"
             "global_oom,task_memcg=/,task=,pid=1,uid=0,pid=77,uid=5"));
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->pid, 77);
    EXPECT_EQ(first->task, ",pid=1,uid=0");
    const auto second = parse_oom_kill(
        line("Out of memory: Killed process 77 (a) total-vm:1k) total-vm:8kB, anon-rss:4kB"));
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(second->pid, 77);
    EXPECT_EQ(second->total_vm, Bytes::kib(8));
}

TEST(OomKillLine, NotFromAProgramAndNotQuotedInsideAnotherLine) {
    const std::string text = "Out of memory: Killed process 5 (x) total-vm:1kB, anon-rss:1kB";
    EXPECT_TRUE(parse_oom_kill(line(text)).has_value());
    EXPECT_FALSE(parse_oom_kill(line(text, 1)).has_value());
    EXPECT_FALSE(parse_oom_kill(line(text, 3)).has_value());
    EXPECT_FALSE(parse_oom_kill(line("audit: comm=\"" + text + "\"")).has_value());
    EXPECT_FALSE(parse_oom_kill(line("Out of memory: Kill process 5 (x) score 9")).has_value());
    EXPECT_FALSE(parse_oom_kill(line("oom_reaper: reaped process 5 (x)")).has_value());
}

TEST(OomKillLine, CutLinesNeverGiveAnotherPid) {
    const std::string whole =
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=/a,task_memcg=/a,"
        "task=python,pid=123,uid=0";
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        const auto kill = parse_oom_kill(line(whole.substr(0, length)));
        if (kill) {
            EXPECT_EQ(kill->pid, 123) << length;
        }
    }
    EXPECT_FALSE(parse_oom_kill(line("oom-kill:constraint=X,task=a,pid=-4,uid=0")).has_value());
    EXPECT_FALSE(
        parse_oom_kill(line("oom-kill:constraint=X,task=a,pid=99999999999,uid=0")).has_value());
}

TEST(FaultLine, Segfault) {
    const auto fault =
        parse_fault(line("python[123]: segfault at 10 ip 00007f12aa sp 00007ffd10 error 4 in "
                         "libfoo.so[7f1000,7f0000+2000] likely on CPU 3 (core 3, socket 0)"));
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->kind, FaultLine::Kind::segfault);
    EXPECT_EQ(fault->pid, 123);
    EXPECT_EQ(fault->task, "python");
    EXPECT_EQ(fault->address, 0x10U);
    EXPECT_EQ(fault->instruction, 0x7f12aaU);
    EXPECT_EQ(fault->stack, 0x7ffd10U);
    EXPECT_EQ(fault->module, "libfoo.so");
    const auto nowhere = parse_fault(line("a[1]: segfault [77]: segfault at 0 ip 0 sp 1 error 14"));
    ASSERT_TRUE(nowhere.has_value());
    EXPECT_EQ(nowhere->pid, 77);
    EXPECT_EQ(nowhere->module, "");
}

TEST(FaultLine, Traps) {
    const auto kind = [](const char* what) {
        const auto fault = parse_fault(line(std::string("traps: python3[9] ") + what +
                                            " ip:55d1 sp:7ffd error:0 in python3.11[55d0+1000]"));
        EXPECT_TRUE(fault.has_value()) << what;
        EXPECT_EQ(fault->pid, 9);
        EXPECT_EQ(fault->instruction, 0x55d1U);
        EXPECT_EQ(fault->module, "python3.11");
        return fault->kind;
    };
    EXPECT_EQ(kind("general protection fault"), FaultLine::Kind::general_protection);
    EXPECT_EQ(kind("general protection"), FaultLine::Kind::general_protection);
    EXPECT_EQ(kind("trap divide error"), FaultLine::Kind::divide_error);
    EXPECT_EQ(kind("trap invalid opcode"), FaultLine::Kind::invalid_opcode);
    EXPECT_EQ(kind("trap int3"), FaultLine::Kind::other);
    EXPECT_FALSE(parse_fault(line("traps: nothing here")).has_value());
    EXPECT_FALSE(parse_fault(line("python[x]: segfault at 0")).has_value());
    EXPECT_FALSE(parse_fault(line("python[1]: segfault at 0 ip 0", 1)).has_value());
}

TEST(XidLine, WithAndWithoutAProcess) {
    const auto xid = parse_xid(
        line("NVRM: Xid (PCI:0000:00:06): 31, pid=1102, name=python3, Ch 00000008, MMU Fault"));
    ASSERT_TRUE(xid.has_value());
    EXPECT_EQ(xid->xid, 31);
    EXPECT_EQ(xid->device, "PCI:0000:00:06");
    EXPECT_EQ(xid->pid, 1102);
    EXPECT_EQ(xid->task, "python3");
    const auto lost = parse_xid(
        line("NVRM: Xid (PCI:0000:18:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off "
             "the bus."));
    ASSERT_TRUE(lost.has_value());
    EXPECT_EQ(lost->xid, 79);
    EXPECT_EQ(lost->pid, std::nullopt);
    EXPECT_EQ(lost->task, "");
    EXPECT_FALSE(parse_xid(line("NVRM: Xid (PCI:0): x, pid=1")).has_value());
    EXPECT_FALSE(parse_xid(line("NVRM: loading driver")).has_value());
}

TEST(IoErrorLine, NamesTheDevice) {
    const auto device = [](const char* text) {
        const auto error = parse_io_error(line(text));
        return error ? error->device : "none";
    };
    EXPECT_EQ(device("blk_update_request: I/O error, dev sda, sector 8 op 0x0:(READ)"), "sda");
    EXPECT_EQ(device("I/O error, dev nvme0n1, sector 123 op 0x1:(WRITE) flags 0x0"), "nvme0n1");
    EXPECT_EQ(device("Buffer I/O error on dev sdb1, logical block 0, async page read"), "sdb1");
    EXPECT_EQ(device("EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2"), "sda1");
    EXPECT_EQ(device("critical medium error, dev sdc, sector 99"), "sdc");
    EXPECT_EQ(device("XFS (dm-0): metadata I/O error in \"x\""), "dm-0");
    EXPECT_EQ(device("EXT4-fs (sda1): mounted filesystem"), "none");
    EXPECT_EQ(device("XFS (dm-0): Mounting V5 Filesystem"), "none");
}

TEST(HardwareErrorLine, ErrorsAndNotBootMessages) {
    const auto kind = [](const char* text) { return parse_hardware_error(line(text)); };
    EXPECT_EQ(kind("EDAC MC0: 1 CE memory read error on CPU_SrcID#0"),
              HardwareError::corrected_memory);
    EXPECT_EQ(kind("EDAC MC1: 1 UE memory scrubbing error"), HardwareError::uncorrected_memory);
    EXPECT_EQ(kind("Memory failure: 0x12345: recovery action for dirty page: Recovered"),
              HardwareError::uncorrected_memory);
    EXPECT_EQ(kind("mce: [Hardware Error]: Machine check events logged"),
              HardwareError::machine_check);
    EXPECT_EQ(kind("{1}[Hardware Error]: event severity: corrected"), HardwareError::machine_check);
    EXPECT_EQ(kind("EDAC MC: Ver: 3.0.0"), std::nullopt);
    EXPECT_EQ(kind("EDAC MC0: Giving out device to module skx_edac"), std::nullopt);
    EXPECT_EQ(kind("mce: CPU0: Thermal monitoring enabled (TM1)"), std::nullopt);
    EXPECT_EQ(parse_hardware_error(line("Memory failure: 0x1: x", 1)), std::nullopt);
}

}  // namespace

namespace {

constexpr const char* new_columns =
    "[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents "
    "oom_score_adj name";
constexpr const char* old_columns =
    "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name";

TEST(OomTable, CountsAnonymousAndSharedMemoryWhereTheKernelTellsThemApart) {
    OomTable table(Bytes::kib(4));
    EXPECT_TRUE(table.take(line(new_columns)));
    EXPECT_TRUE(table.take(
        line("[  15425]     0 15425     2345      992       76      916         0    57344        "
             "0             0 holdfast")));
    EXPECT_TRUE(table.take(
        line("[  15428]  1000 15428    35440    33884    32352     1532       100   323584        "
             "0          -500 pt main thread")));
    ASSERT_EQ(table.tasks().size(), 2U);
    EXPECT_EQ(table.tasks()[0].pid, 15428);
    EXPECT_EQ(table.tasks()[0].name, "pt main thread");
    EXPECT_EQ(table.tasks()[0].held, Bytes::kib(4 * (32352 + 100)));
    EXPECT_EQ(table.tasks()[1].held, Bytes::kib(4 * 76));
}

TEST(OomTable, OfAnOlderKernelHasOneFigure) {
    OomTable table(Bytes::kib(4));
    table.take(line(old_columns));
    table.take(
        line("[   4242]     0  4242   250000   131072  1110000        0             0 python"));
    ASSERT_EQ(table.tasks().size(), 1U);
    EXPECT_EQ(table.tasks()[0].held, Bytes::mib(512));
    EXPECT_EQ(table.tasks()[0].name, "python");
}

TEST(OomTable, CountsInThePagesOfItsKernel) {
    for (const std::uint64_t kib : {4U, 16U, 64U}) {
        OomTable table(Bytes::kib(kib));
        table.take(line(old_columns));
        table.take(line("[ 4242] 0 4242 250000 8192 1110000 0 0 python"));
        ASSERT_EQ(table.tasks().size(), 1U);
        EXPECT_EQ(table.tasks()[0].held, Bytes::kib(8192 * kib));
    }
}

TEST(OomTable, KeepsTheLargest) {
    OomTable table(Bytes::kib(4));
    table.take(line(old_columns));
    for (int pid = 1; pid <= 100; ++pid)
        table.take(line("[ " + std::to_string(pid) + "] 0 " + std::to_string(pid) + " 9 " +
                        std::to_string(pid) + " 0 0 0 a"));
    ASSERT_EQ(table.tasks().size(), OomTable::most);
    EXPECT_EQ(table.tasks().front().pid, 100);
    EXPECT_EQ(table.tasks().back().pid, 95);
}

TEST(OomTable, BeginsAnewWithEachKill) {
    OomTable table(Bytes::kib(4));
    table.take(line(old_columns));
    table.take(line("[ 7] 0 7 9 5 0 0 0 a"));
    table.take(line(old_columns));
    EXPECT_TRUE(table.tasks().empty());
}

TEST(OomTable, TakesNoRowWithoutItsColumnsAndNoneFromAProgram) {
    OomTable table(Bytes::kib(4));
    EXPECT_FALSE(table.take(line("[ 7] 0 7 9 5 0 0 0 a")));
    EXPECT_FALSE(table.take(line(old_columns, 1)));
    table.take(line(old_columns));
    EXPECT_FALSE(table.take(line("[ 7] 0 7 9 5 0 0 0 a", 3)));
    EXPECT_FALSE(table.take(line("[ 7] 0 7 nine 5 0 0 0 a")));
    EXPECT_FALSE(table.take(line("[drm] something else")));
    EXPECT_TRUE(table.tasks().empty());
}

}  // namespace

}  // namespace holdfast::sources
