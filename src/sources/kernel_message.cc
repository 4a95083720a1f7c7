#include "sources/kernel_message.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "sources/figures.h"

namespace holdfast::sources {
namespace {

constexpr auto npos = std::string_view::npos;

bool from_kernel(const KernelRecord& record) { return record.facility == 0; }

// The text between `before` and the next `after`; "" if one is missing.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
    const std::size_t at = text.find(before);
    if (at == npos) return {};
    text.remove_prefix(at + before.size());
    const std::size_t end = text.find(after);
    return end == npos ? std::string_view() : text.substr(0, end);
}

std::optional<int> parse_pid(std::string_view text) {
    const auto pid = parse_number<int>(text);
    return pid && *pid > 0 ? pid : std::nullopt;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    return parse_number<std::uint64_t>(text, 16);
}

// "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a,
// task_memcg=/a,task=python,pid=123,uid=0". The program chooses its name, which may contain
// ",pid=1,uid=0": so take the numbers from the end of the line.
std::optional<OomKillLine> parse_constraint_line(std::string_view text) {
    const std::size_t uid_at = text.rfind(",uid=");
    if (uid_at == npos) return std::nullopt;
    const std::size_t pid_at = text.substr(0, uid_at).rfind(",pid=");
    if (pid_at == npos) return std::nullopt;
    const auto pid = parse_pid(text.substr(pid_at + 5, uid_at - pid_at - 5));
    if (!pid) return std::nullopt;
    OomKillLine kill;
    kill.pid = *pid;
    kill.uid = parse_number<std::uint32_t>(text.substr(uid_at + 5));
    const std::string_view rest = text.substr(0, pid_at);
    kill.constraint = std::string(between(rest, "constraint=", ","));
    kill.oom_memcg = std::string(between(rest, ",oom_memcg=", ",task_memcg="));
    kill.task_memcg = std::string(between(rest, ",task_memcg=", ",task="));
    const std::size_t memcg_at = rest.find(",task_memcg=");
    const std::size_t task_at = rest.find(",task=", memcg_at == npos ? 0 : memcg_at);
    if (task_at != npos) kill.task = std::string(rest.substr(task_at + 6));
    return kill;
}

// "... Killed process 123 (python) total-vm:1kB, anon-rss:2kB, file-rss:3kB, shmem-rss:4kB, UID:0"
std::optional<OomKillLine> parse_sizes(std::string_view text) {
    const std::size_t open = text.find(" (");
    const std::size_t close = text.rfind(") total-vm:");
    if (open == npos || close == npos || close < open + 2) return std::nullopt;
    const auto pid = parse_pid(text.substr(0, open));
    if (!pid) return std::nullopt;
    OomKillLine kill;
    kill.pid = *pid;
    kill.task = std::string(text.substr(open + 2, close - open - 2));
    const std::string_view sizes = text.substr(close);
    kill.total_vm = parse_kib(between(sizes, "total-vm:", "kB"));
    kill.anon_rss = parse_kib(between(sizes, "anon-rss:", "kB"));
    kill.file_rss = parse_kib(between(sizes, "file-rss:", "kB"));
    kill.shmem_rss = parse_kib(between(sizes, "shmem-rss:", "kB"));
    kill.uid = parse_number<std::uint32_t>(between(sizes, "UID:", " "));
    return kill;
}

// "python[123]" -> name and pid.
bool parse_task(std::string_view text, FaultLine& fault) {
    const std::size_t open = text.rfind('[');
    if (open == npos || !text.ends_with(']')) return false;
    const auto pid = parse_pid(text.substr(open + 1, text.size() - open - 2));
    if (!pid) return false;
    fault.pid = *pid;
    fault.task = std::string(text.substr(0, open));
    return true;
}

// "... in libfoo.so[7f1000,7f0000+2000]": the name in front of the last such bracket.
std::string module_in(std::string_view text) {
    const std::size_t in = text.find(" in ");
    if (in == npos) return {};
    text.remove_prefix(in + 4);
    const std::size_t bracket = text.find('[');
    return bracket == npos ? std::string() : std::string(text.substr(0, bracket));
}

std::optional<std::uint64_t> hex_after(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == npos) return std::nullopt;
    text.remove_prefix(at + name.size());
    return parse_hex(text.substr(0, text.find(' ')));
}

FaultLine::Kind trap_kind(std::string_view text) {
    if (text.starts_with("general protection")) return FaultLine::Kind::general_protection;
    if (text.starts_with("trap divide error")) return FaultLine::Kind::divide_error;
    if (text.starts_with("trap invalid opcode")) return FaultLine::Kind::invalid_opcode;
    return FaultLine::Kind::other;
}

// "traps: python[123] trap invalid opcode ip:55d1 sp:7ffd error:0 in python3.11[55d0+1000]"
std::optional<FaultLine> parse_trap(std::string_view text) {
    const std::size_t ip_at = text.rfind(" ip:");
    if (ip_at == npos) return std::nullopt;
    const std::size_t close = text.substr(0, ip_at).rfind("] ");
    if (close == npos) return std::nullopt;
    FaultLine fault;
    if (!parse_task(text.substr(0, close + 1), fault)) return std::nullopt;
    fault.kind = trap_kind(text.substr(close + 2));
    fault.instruction = hex_after(text.substr(ip_at), " ip:");
    fault.stack = hex_after(text.substr(ip_at), " sp:");
    fault.module = module_in(text.substr(ip_at));
    return fault;
}

}  // namespace

std::optional<OomKillLine> parse_oom_kill(const KernelRecord& record) {
    if (!from_kernel(record)) return std::nullopt;
    const std::string_view text = record.text;
    constexpr std::string_view constraint = "oom-kill:constraint=";
    if (text.starts_with(constraint)) return parse_constraint_line(text);

    // Before Linux 5.0 the line began with "Killed process" and did not say at which limit.
    constexpr std::string_view killed = "Killed process ";
    if (text.starts_with(killed)) return parse_sizes(text.substr(killed.size()));
    const bool at_cgroup = text.starts_with("Memory cgroup out of memory");
    if (!at_cgroup && !text.starts_with("Out of memory")) return std::nullopt;
    const std::size_t colon = text.find(": ");
    if (colon == npos || !text.substr(colon + 2).starts_with(killed)) return std::nullopt;
    auto kill = parse_sizes(text.substr(colon + 2 + killed.size()));
    if (kill) kill->at_cgroup_limit = at_cgroup;
    return kill;
}

std::optional<FaultLine> parse_fault(const KernelRecord& record) {
    if (!from_kernel(record)) return std::nullopt;
    std::string_view text = record.text;
    constexpr std::string_view traps = "traps: ";
    if (text.starts_with(traps)) return parse_trap(text.substr(traps.size()));
    // "python[123]: segfault at 0 ip 55d1 sp 7ffd error 4 in libfoo.so[7f1000+2000]". From the
    // right: a name may end in "[1]: segfault ".
    constexpr std::string_view segfault = "]: segfault at ";
    const std::size_t at = text.rfind(segfault);
    if (at == npos) return std::nullopt;
    FaultLine fault;
    if (!parse_task(text.substr(0, at + 1), fault)) return std::nullopt;
    text.remove_prefix(at + segfault.size());
    fault.kind = FaultLine::Kind::segfault;
    fault.address = parse_hex(text.substr(0, text.find(' ')));
    fault.instruction = hex_after(text, " ip ");
    fault.stack = hex_after(text, " sp ");
    fault.module = module_in(text);
    return fault;
}

std::optional<XidLine> parse_xid(const KernelRecord& record) {
    if (!from_kernel(record)) return std::nullopt;
    std::string_view text = record.text;
    constexpr std::string_view begin = "NVRM: Xid (";
    if (!text.starts_with(begin)) return std::nullopt;
    text.remove_prefix(begin.size());
    const std::size_t close = text.find("): ");
    if (close == npos) return std::nullopt;
    XidLine line;
    line.device = std::string(text.substr(0, close));
    text.remove_prefix(close + 3);
    const auto xid = parse_number<int>(text.substr(0, text.find(',')));
    if (!xid || *xid < 0) return std::nullopt;
    line.xid = *xid;
    // Where the driver does not know: pid='<unknown>', name=<unknown>.
    line.pid = parse_pid(between(text, ", pid=", ","));
    if (line.pid) line.task = std::string(between(text, ", name=", ","));
    return line;
}

std::optional<IoErrorLine> parse_io_error(const KernelRecord& record) {
    if (!from_kernel(record)) return std::nullopt;
    const std::string_view text = record.text;
    const auto device_after = [&](std::string_view mark, std::string_view ends) {
        const std::size_t at = text.find(mark);
        const std::string_view rest = text.substr(at + mark.size());
        return IoErrorLine{std::string(rest.substr(0, rest.find_first_of(ends)))};
    };
    if (text.starts_with("blk_update_request: I/O error, dev ") ||
        text.starts_with("I/O error, dev "))
        return device_after("I/O error, dev ", ", ");
    if (text.starts_with("critical medium error, dev ")) return device_after(" dev ", ", ");
    if (text.starts_with("Buffer I/O error on dev ")) return device_after(" on dev ", ", ");
    for (const std::string_view name : {"EXT4-fs error (device ", "BTRFS error (device "})
        if (text.starts_with(name)) return device_after("(device ", "): ");
    if (text.starts_with("XFS (") && text.find("I/O error") != npos)
        return device_after("XFS (", ")");
    return std::nullopt;
}

std::optional<HardwareError> parse_hardware_error(const KernelRecord& record) {
    if (!from_kernel(record)) return std::nullopt;
    const std::string_view text = record.text;
    if (text.starts_with("Memory failure: 0x")) return HardwareError::uncorrected_memory;
    if (text.starts_with("EDAC MC")) {
        if (text.find(" UE ") != npos) return HardwareError::uncorrected_memory;
        if (text.find(" CE ") != npos) return HardwareError::corrected_memory;
        return std::nullopt;
    }
    if (text.starts_with("mce: Uncorrected hardware memory error"))
        return HardwareError::uncorrected_memory;
    // "mce: [Hardware Error]: ..." and firmware's "{1}[Hardware Error]: ...": memory, or a cache,
    // or a bus; the line alone does not say.
    if (text.starts_with("mce: [Hardware Error]") || text.starts_with("[Hardware Error]") ||
        (text.starts_with('{') && text.find("}[Hardware Error]") != npos))
        return HardwareError::machine_check;
    return std::nullopt;
}

void OomTable::clear() {
    columns_.clear();
    tasks_.clear();
}

// "[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents
// oom_score_adj name"; older kernels lack the three rss_ columns.
bool OomTable::take(const KernelRecord& record) {
    if (record.facility != 0 || !record.text.starts_with('[')) return false;
    const std::string_view text = record.text;
    if (text.find(" tgid ") == std::string_view::npos) return take_row(record);
    clear();
    columns_ = record.text;
    kinds_apart_ = text.find(" rss_anon ") != std::string_view::npos;
    return true;
}

bool OomTable::take_row(const KernelRecord& record) {
    if (columns_.empty()) return false;
    std::string_view rest = record.text;
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return false;
    const auto thread = parse_number<int>(trim(rest.substr(1, close - 1)));
    rest.remove_prefix(close + 1);
    if (!thread || *thread <= 0) return false;

    std::array<std::int64_t, 10> numbers{};
    const std::size_t count = kinds_apart_ ? 10 : 7;
    for (std::size_t i = 0; i < count; ++i) {
        const auto word = next_word(rest);
        const auto number = word ? parse_number<std::int64_t>(*word) : std::nullopt;
        if (!number) return false;
        numbers[i] = *number;
    }
    // uid, tgid, total_vm, rss, rss_anon, rss_file, rss_shmem. Counters may be negative for a
    // moment.
    const auto in_bytes = [&](std::size_t column) {
        const auto count_of_pages =
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, numbers[column]));
        return pages(count_of_pages, page_).value_or(Bytes{});
    };
    OomTask task;
    if (numbers[1] <= 0 || numbers[1] > std::numeric_limits<int>::max()) return false;
    task.pid = static_cast<int>(numbers[1]);
    task.held = kinds_apart_ ? in_bytes(4) + in_bytes(6) : in_bytes(3);
    task.name = trim(rest);
    task.line = record.text;
    const auto place =
        std::upper_bound(tasks_.begin(), tasks_.end(), task,
                         [](const OomTask& a, const OomTask& b) { return a.held > b.held; });
    tasks_.insert(place, std::move(task));
    if (tasks_.size() > most) tasks_.pop_back();
    return true;
}

}  // namespace holdfast::sources
