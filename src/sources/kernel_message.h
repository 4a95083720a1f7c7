// What a line of the kernel log says. Only lines of the kernel's own facility are understood: a
// program may write "Out of memory: Killed process 1" into the log, and that must decide nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "sources/kernel_log.h"

namespace holdfast::sources {

// One kill gives two lines, joined by the pid: the first has the cgroups, the second the sizes.
// All pids here are of the first pid namespace.
struct OomKillLine {
    int pid = 0;
    std::string task;
    std::optional<std::uint32_t> uid;
    std::string constraint;               // CONSTRAINT_MEMCG, CONSTRAINT_NONE...; in the first line
    std::string oom_memcg;                // whose limit; empty for a machine-wide kill
    std::string task_memcg;               // the victim's cgroup
    std::optional<bool> at_cgroup_limit;  // second line: by how it begins
    std::optional<Bytes> total_vm, anon_rss, file_rss, shmem_rss;
};
std::optional<OomKillLine> parse_oom_kill(const KernelRecord& record);

struct FaultLine {
    enum class Kind { segfault, general_protection, divide_error, invalid_opcode, other };
    Kind kind = Kind::other;
    int pid = 0;  // of the thread
    std::string task;
    std::optional<std::uint64_t> address, instruction, stack;
    std::string module;  // "libtorch_cpu.so"; empty outside of any file
};
std::optional<FaultLine> parse_fault(const KernelRecord& record);

struct XidLine {
    int xid = 0;
    std::string device;  // "PCI:0000:00:06"
    std::optional<int> pid;
    std::string task;
};
std::optional<XidLine> parse_xid(const KernelRecord& record);

struct IoErrorLine {
    std::string device;  // "sda"; may be empty
};
std::optional<IoErrorLine> parse_io_error(const KernelRecord& record);

enum class HardwareError { corrected_memory, uncorrected_memory, machine_check };
// Not the boot messages of the same drivers ("EDAC MC: Ver", "mce: CPU0: Thermal monitoring").
std::optional<HardwareError> parse_hardware_error(const KernelRecord& record);

}  // namespace holdfast::sources
