// The "Name: value" files of processes and of the machine, and other small files.
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "sources/host.h"
#include "sources/meminfo.h"
#include "sources/pid_command.h"
#include "sources/pid_fds.h"
#include "sources/pid_figures.h"
#include "sources/pressure.h"
#include "sources/process_list.h"
#include "sources/threads.h"
#include "sources/vmstat.h"

namespace {

void check_pressure(std::string_view text) {
    const auto pressure = holdfast::sources::parse_pressure(text);
    if (!pressure) return;
    for (const auto& stall : {pressure->some, pressure->full})
        if (stall && (!std::isfinite(stall->average_10s) || stall->total < holdfast::Nanos{}))
            std::abort();
}

void check_environ(std::string_view text) {
    constexpr std::array<std::string_view, 2> names{"SLURM_JOB_ID", "RANK"};
    const auto values = holdfast::sources::parse_pid_environ(text, names);
    if (values.size() > names.size()) std::abort();
    for (const auto& value : values)
        if (value.name != names[0] && value.name != names[1]) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace holdfast::sources;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto info = parse_meminfo(text); info && !info->total) std::abort();
    if (const auto children = parse_pid_children(text))
        for (const int pid : *children)
            if (pid <= 0) std::abort();
    check_pressure(text);
    check_environ(text);
    (void)parse_pid_status(text);
    (void)parse_pid_limits(text);
    (void)parse_pid_io(text);
    (void)parse_thread_turns(text);
    (void)parse_fdinfo(text);
    (void)parse_vmstat(text);
    (void)parse_pid_cmdline(text);
    (void)parse_pid_wchan(text);
    (void)parse_thread_wait(text);
    (void)parse_boot_id(text);
    (void)parse_cpu_list(text);
    (void)parse_namespace_link(text);
    (void)is_wsl_kernel(text);
    return 0;
}
