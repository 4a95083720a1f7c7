// The readers of the whole machine's files, filesystems and GPUs.
#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>

#include "sources/filesystem_space.h"
#include "sources/gpu_reader.h"
#include "sources/host.h"
#include "sources/meminfo.h"
#include "sources/pressure.h"
#include "sources/test_roots.h"
#include "sources/vmstat.h"

namespace holdfast::sources {
namespace {

TEST(Meminfo, ReadsWhatMattersAndKeepsTheRestUnknown) {
    const auto reader = MeminfoReader::open(fixture("machine"));
    ASSERT_TRUE(reader.ok());
    const auto info = reader->read();
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->total, Bytes::kib(24682416));
    EXPECT_EQ(info->available, Bytes::kib(24318176));
    EXPECT_EQ(info->cached, Bytes::kib(777628));
    EXPECT_EQ(info->swap_free, Bytes::kib(1000000));
    EXPECT_EQ(info->commit_limit, Bytes::kib(12341208));
    EXPECT_EQ(info->committed, Bytes::kib(73736));
    const auto old = parse_meminfo("MemTotal: 100 kB\nMemFree: 50 kB\n");
    ASSERT_TRUE(old.ok());
    EXPECT_EQ(old->available, std::nullopt);
    EXPECT_FALSE(parse_meminfo("").ok());
    EXPECT_FALSE(parse_meminfo("MemTotal: lots\n").ok());
}

TEST(Meminfo, OfThisMachineMoves) {
    const auto reader = MeminfoReader::open(machine());
    ASSERT_TRUE(reader.ok());
    const auto first = reader->read();
    ASSERT_TRUE(first.ok()) << first.error().text;
    const auto second = reader->read();  // through the same descriptor, again from the start
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(first->total, second->total);
    EXPECT_LE(*second->free, *second->total);
}

TEST(Vmstat, TakesWholeNamesOnly) {
    const auto reader = VmstatReader::open(fixture("machine"));
    ASSERT_TRUE(reader.ok());
    const auto vmstat = reader->read();
    ASSERT_TRUE(vmstat.ok());
    EXPECT_EQ(vmstat->oom_kill, 3U);
    EXPECT_EQ(vmstat->major_faults, 59U);
    EXPECT_EQ(vmstat->swap_in_pages, 7U);
    EXPECT_EQ(vmstat->swap_out_pages, 8U);
    EXPECT_FALSE(parse_vmstat("").ok());
    EXPECT_EQ(parse_vmstat("pswpin 1\n")->oom_kill, std::nullopt);
}

TEST(Vmstat, OfThisMachineIsReadToItsEnd) {
    const auto reader = VmstatReader::open(machine());
    ASSERT_TRUE(reader.ok());
    const auto vmstat = reader->read();
    ASSERT_TRUE(vmstat.ok()) << vmstat.error().text;
    EXPECT_TRUE(vmstat->major_faults.has_value());
}

TEST(Pressure, SomeAndFull) {
    const auto reader = PressureReader::open(fixture("machine"), "memory");
    ASSERT_TRUE(reader.ok());
    const auto pressure = reader->read();
    ASSERT_TRUE(pressure.ok());
    ASSERT_TRUE(pressure->some && pressure->full);
    EXPECT_DOUBLE_EQ(pressure->some->average_10s, 1.25);
    EXPECT_DOUBLE_EQ(pressure->full->average_300s, 0.05);
    EXPECT_EQ(pressure->some->total, std::chrono::microseconds(123456));
    const auto cpu = PressureReader::open(fixture("machine"), "cpu")->read();
    ASSERT_TRUE(cpu.ok());
    EXPECT_FALSE(cpu->full.has_value());
}

TEST(Pressure, AbsentOrSenselessIsAnError) {
    EXPECT_EQ(PressureReader::open(fixture("wsl"), "memory").error().number, ENOENT);
    EXPECT_FALSE(parse_pressure("").ok());
    EXPECT_FALSE(parse_pressure("some avg10=nan avg60=0.00 avg300=0.00 total=0\n").ok());
    EXPECT_FALSE(parse_pressure("some avg10=1 avg60=0.00 total=0\n").ok());
    EXPECT_FALSE(parse_pressure("some avg10=0 avg60=0 avg300=0 total=9223372036854775807\n").ok());
}

TEST(KernelSettings, AreReadOrAbsent) {
    const KernelSettings settings = read_kernel_settings(fixture("wsl"));
    EXPECT_EQ(settings.overcommit_memory, 2);
    EXPECT_EQ(settings.max_map_count, 65530U);
    EXPECT_EQ(settings.pid_max, 4194304U);
    EXPECT_EQ(settings.threads_max, 96343U);
    EXPECT_EQ(read_kernel_settings(fixture("v2")).overcommit_memory, std::nullopt);
}

TEST(Host, OfWsl) {
    const Host host = read_host(fixture("wsl"));
    EXPECT_EQ(host.name, "laptop");
    EXPECT_TRUE(host.wsl);
    EXPECT_EQ(host.cpus, 9);
    ASSERT_TRUE(host.boot_id.has_value());
    EXPECT_EQ((*host.boot_id)[0], std::byte{0xb0});
    EXPECT_EQ((*host.boot_id)[15], std::byte{0x5e});
    EXPECT_FALSE(host.in_first_pid_namespace);
}

TEST(Host, TheFirstPidNamespaceIsKnownByItsNumber) {
    const TemporaryTree tree;
    std::filesystem::create_directories(tree.path() + "/proc/self/ns");
    const std::string link = tree.path() + "/proc/self/ns/pid";
    std::filesystem::create_symlink("pid:[4026531836]", link);
    EXPECT_TRUE(read_host(*Roots::open(tree.path())).in_first_pid_namespace);
    std::filesystem::remove(link);
    std::filesystem::create_symlink("pid:[4026532001]", link);
    EXPECT_FALSE(read_host(*Roots::open(tree.path())).in_first_pid_namespace);
}

TEST(Host, OfThisMachineIsWhatUnameSays) {
    utsname names{};
    ASSERT_EQ(::uname(&names), 0);
    const Host host = read_host(machine());
    EXPECT_EQ(host.name, names.nodename);
    EXPECT_EQ(host.kernel, names.release);
    EXPECT_TRUE(host.boot_id.has_value());
}

TEST(Host, SenselessTextIsUnknown) {
    EXPECT_EQ(parse_boot_id("b0b45587"), std::nullopt);
    EXPECT_EQ(parse_boot_id("b0b45587-f78a-4113-b175-3d5e6872415eff"), std::nullopt);
    EXPECT_EQ(parse_boot_id("g0b45587-f78a-4113-b175-3d5e6872415e"), std::nullopt);
    EXPECT_EQ(parse_cpu_list("0-3,8"), 5);
    EXPECT_EQ(parse_cpu_list("0"), 1);
    EXPECT_EQ(parse_cpu_list(""), std::nullopt);
    EXPECT_EQ(parse_cpu_list("3-1"), std::nullopt);
    EXPECT_EQ(parse_cpu_list("0-4294967295"), std::nullopt);
    EXPECT_EQ(parse_namespace_link("pid:[12"), std::nullopt);
    EXPECT_EQ(parse_namespace_link("pid:[]"), std::nullopt);
    EXPECT_FALSE(is_wsl_kernel("6.1.0-13-amd64"));
    EXPECT_TRUE(is_wsl_kernel("4.4.0-19041-Microsoft"));
}

}  // namespace

namespace {

TEST(FilesystemSpace, OfProcAndOfTheRoot) {
    const auto proc = read_filesystem_space("/proc");
    ASSERT_TRUE(proc.ok());
    EXPECT_EQ(proc->type, "proc");
    EXPECT_EQ(proc->size, Bytes{0});
    const auto root = read_filesystem_space("/");
    ASSERT_TRUE(root.ok());
    EXPECT_GT(root->size, Bytes{0});
    EXPECT_LE(root->free, root->size);
    EXPECT_EQ(read_filesystem_space("/no/such/path").error().number, ENOENT);
}

TEST(FilesystemSpace, NamesTheKinds) {
    EXPECT_EQ(filesystem_name(0xef53), "ext4");
    EXPECT_EQ(filesystem_name(0x01021994), "tmpfs");
    EXPECT_EQ(filesystem_name(0x1234567), "0x1234567");
}

}  // namespace

namespace {

TEST(GpuReader, WithoutTheLibraryThereAreNoGpusAndAReason) {
    const auto reader = make_gpu_reader("libholdfast-no-such-library.so");
    ASSERT_NE(reader, nullptr);
    EXPECT_NE(reader->absent_because(), "");
    EXPECT_TRUE(reader->read().empty());
    EXPECT_TRUE(reader->new_xids().empty());
}

TEST(GpuReader, ALibraryWithoutTheFunctionsIsAsGoodAsNone) {
    const auto reader = make_gpu_reader("libc.so.6");
    EXPECT_NE(reader->absent_because(), "");
    EXPECT_TRUE(reader->read().empty());
}

}  // namespace

}  // namespace holdfast::sources
