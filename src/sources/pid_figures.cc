#include "sources/pid_figures.h"

#include <algorithm>
#include <vector>

#include "base/read_file.h"
#include "base/text.h"
#include "sources/figures.h"
#include "sources/live_file.h"

namespace holdfast::sources {
namespace {

std::vector<int> parse_pids(std::string_view text) {
    std::vector<int> pids;
    while (const auto word = next_word(text))
        if (const auto pid = parse_number<int>(*word)) pids.push_back(*pid);
    return pids;
}

}  // namespace

Result<PidStatus> parse_pid_status(std::string_view text) {
    PidStatus status;
    const auto visit = [&](const FigureField& field) {
        const auto [key, value] = field;
        if (key == "VmRSS") {
            status.rss = parse_kib(value);
        } else if (key == "VmHWM") {
            status.rss_peak = parse_kib(value);
        } else if (key == "RssAnon") {
            status.anon = parse_kib(value);
        } else if (key == "RssFile") {
            status.file = parse_kib(value);
        } else if (key == "RssShmem") {
            status.shmem = parse_kib(value);
        } else if (key == "VmSwap") {
            status.swap = parse_kib(value);
        } else if (key == "VmSize") {
            status.virtual_size = parse_kib(value);
        } else if (key == "VmPeak") {
            status.virtual_peak = parse_kib(value);
        } else if (key == "Threads") {
            status.threads = parse_number<std::uint64_t>(value);
        } else if (key == "Uid") {
            std::string_view rest = value;
            const auto real = next_word(rest);
            if (real) status.uid = parse_number<std::uint32_t>(*real);
        } else if (key == "TracerPid") {
            status.tracer_pid = parse_number<int>(value);
        } else if (key == "SigPnd") {
            status.pending_thread = parse_number<std::uint64_t>(value, 16);
        } else if (key == "ShdPnd") {
            status.pending_process = parse_number<std::uint64_t>(value, 16);
        } else if (key == "SigIgn") {
            status.ignored = parse_number<std::uint64_t>(value, 16);
        } else if (key == "NSpid") {
            status.namespace_pids = parse_pids(value);
        } else if (key == "voluntary_ctxt_switches") {
            status.voluntary_switches = parse_number<std::uint64_t>(value);
        } else if (key == "nonvoluntary_ctxt_switches") {
            status.involuntary_switches = parse_number<std::uint64_t>(value);
        }
    };
    if (for_each_field(text, ':', visit) == 0) return Error{"/proc/PID/status makes no sense", 0};
    return status;
}

Result<PidStatus> read_pid_status(int process_dir) {
    const auto text = read_file_at(process_dir, "status");
    if (!text) return text.error();
    return parse_pid_status(*text);
}

Result<PidIo> parse_pid_io(std::string_view text) {
    PidIo io;
    const auto visit = [&](const FigureField& field) {
        if (field.key == "rchar") io.read_calls = parse_bytes(field.value);
        if (field.key == "wchar") io.written_calls = parse_bytes(field.value);
        if (field.key == "read_bytes") io.read_disk = parse_bytes(field.value);
        if (field.key == "write_bytes") io.written_disk = parse_bytes(field.value);
        if (field.key == "syscw") io.write_count = parse_number<std::uint64_t>(trim(field.value));
    };
    if (for_each_field(text, ':', visit) == 0) return Error{"/proc/PID/io makes no sense", 0};
    return io;
}

Result<PidIo> read_pid_io(int process_dir) {
    const auto text = read_file_at(process_dir, "io");
    if (!text) return text.error();
    return parse_pid_io(*text);
}

Result<ThreadTurns> parse_thread_turns(std::string_view text) {
    const auto number = [&text] {
        return parse_number<std::int64_t>(next_word(text).value_or(std::string_view{}));
    };
    const auto ran = number(), waited = number();
    if (!ran || !waited || *ran <= 0 || *waited < 0)
        return Error{"/proc/PID/task/TID/schedstat makes no sense", 0};
    return ThreadTurns{Nanos(*ran), Nanos(*waited)};
}

Result<ThreadTurns> read_thread_turns(int process_dir, int tid) {
    const auto text = read_file_at(process_dir, "task/" + std::to_string(tid) + "/schedstat");
    if (!text) return text.error();
    return parse_thread_turns(*text);
}

namespace {

struct LimitRow {
    std::string_view name;
    Limit PidLimits::*slot;
};

constexpr LimitRow limit_rows[] = {
    {"Max cpu time", &PidLimits::cpu_seconds},
    {"Max file size", &PidLimits::file_size},
    {"Max data size", &PidLimits::data},
    {"Max stack size", &PidLimits::stack},
    {"Max core file size", &PidLimits::core},
    {"Max processes", &PidLimits::processes},
    {"Max open files", &PidLimits::open_files},
    {"Max locked memory", &PidLimits::locked},
    {"Max address space", &PidLimits::address_space},
};

// "8388608" or "unlimited"; false for anything else.
bool parse_limit(std::string_view& rest, std::optional<std::uint64_t>& value) {
    const auto word = next_word(rest);
    if (!word) return false;
    if (*word == "unlimited") return true;
    value = parse_number<std::uint64_t>(*word);
    return value.has_value();
}

}  // namespace

Result<PidLimits> parse_pid_limits(std::string_view text) {
    PidLimits limits;
    bool any = false;
    while (const auto line = next_line(text)) {
        for (const LimitRow& row : limit_rows) {
            if (!line->starts_with(row.name)) continue;
            std::string_view rest = line->substr(row.name.size());
            if (!rest.starts_with(' ')) continue;
            Limit limit{true, {}, {}};
            if (!parse_limit(rest, limit.soft) || !parse_limit(rest, limit.hard)) continue;
            limits.*row.slot = limit;
            any = true;
        }
    }
    if (!any) return Error{"/proc/PID/limits makes no sense", 0};
    return limits;
}

Result<PidLimits> read_pid_limits(int process_dir) {
    const auto text = read_file_at(process_dir, "limits");
    if (!text) return text.error();
    return parse_pid_limits(*text);
}

Result<MappingCount> count_mappings(int process_dir, std::size_t limit) {
    const auto file = LiveFile::open(process_dir, "maps");
    if (!file) return file.error();
    std::vector<char> buffer(std::size_t{64} << 10U);
    MappingCount count;
    for (std::size_t offset = 0; offset < limit;) {
        const auto got = file->read_from(offset, buffer);
        if (!got) return got.error();
        if (*got == 0) return count;
        count.mappings += static_cast<std::uint64_t>(
            std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*got), '\n'));
        offset += *got;
    }
    count.complete = false;
    return count;
}

}  // namespace holdfast::sources
