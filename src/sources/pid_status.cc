#include "sources/pid_status.h"

#include "base/read_file.h"
#include "sources/fields.h"

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
    const auto visit = [&](const Field& field) {
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

}  // namespace holdfast::sources
