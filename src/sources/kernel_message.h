// Understands lines of the kernel log. Only those of the kernel's own facility: a program may write
// "Out of memory: Killed process 1" into the log, and that must decide nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "sources/kernel_log.h"

namespace holdfast::sources {

// One kill logs two lines with the same pid: the first has the cgroups, the second the sizes. All
// pids here are those of the first pid namespace.
struct OomKillLine {
    int pid = 0;
    std::string task;
    std::optional<std::uint32_t> uid;
    std::string constraint;               // CONSTRAINT_MEMCG, CONSTRAINT_NONE...; first line only
    std::string oom_memcg;                // whose limit; empty for a machine-wide kill
    std::string task_memcg;               // the victim's cgroup
    std::optional<bool> at_cgroup_limit;  // second line only: it tells by its first words
    std::optional<Bytes> total_vm, anon_rss, file_rss, shmem_rss;
};
std::optional<OomKillLine> parse_oom_kill(const KernelRecord& record);

struct FaultLine {
    enum class Kind { segfault, general_protection, divide_error, invalid_opcode, other };
    Kind kind = Kind::other;
    int pid = 0;  // the thread's pid
    std::string task;
    std::optional<std::uint64_t> address, instruction, stack;
    std::string module;  // "libtorch_cpu.so"; empty if no file is mapped there
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

// The kernel's own list of who held what at an OOM kill, printed just before the line of the kill:
// the only picture of that moment, because the process that took the memory may be gone at the next
// look.
struct OomTask {
    int pid = 0;  // of the process, in the first pid namespace
    std::string name;
    Bytes held;        // anonymous and shared memory; on older kernels also file pages
    std::string line;  // as the kernel printed it
};

// Takes the log line by line. A machine-wide kill lists every process, so only the largest are
// kept.
class OomTable {
public:
    explicit OomTable(Bytes page) : page_(page) {}

    static constexpr std::size_t most = 6;

    // False if the line is not part of such a table.
    bool take(const KernelRecord& record);
    // Largest first.
    const std::vector<OomTask>& tasks() const { return tasks_; }
    // The line with the names of the columns, which is needed to read the rows.
    const std::string& columns() const { return columns_; }
    void clear();

private:
    bool take_row(const KernelRecord& record);

    Bytes page_;
    bool kinds_apart_ = false;  // Linux 6.8 and later have rss_anon, rss_file and rss_shmem
    std::string columns_;
    std::vector<OomTask> tasks_;
};

}  // namespace holdfast::sources
