#include "supervise/run_facts_now.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "base/read_file.h"
#include "base/text.h"
#include "knowledge/schedulers.h"
#include "sources/host.h"
#include "sources/meminfo.h"
#include "sources/pid_stat.h"
#include "sources/process_dir.h"

namespace holdfast {
namespace {

const char* from_environment(const char* name) { return std::getenv(name); }

}  // namespace

SchedulerFacts scheduler_of(const char* (*get)(const char* name)) {
    SchedulerFacts facts;
    const auto value = [get](const std::string& name) {
        return name.empty() ? nullptr : get(name.c_str());
    };
    for (const Scheduler& scheduler : schedulers()) {
        if (value(scheduler.marked_by) == nullptr) continue;
        facts.kind = scheduler.kind;
        if (const char* job = value(scheduler.job)) facts.job_id = printable(job);
        if (const char* end = value(scheduler.ends_at))
            facts.ends_at_wall_seconds = parse_number<std::int64_t>(end);
        break;
    }
    return facts;
}

RunFacts facts_at_start(const sources::Roots& roots) {
    RunFacts facts;
    facts.started = monotonic_now();
    facts.started_wall = wall_now();
    const sources::Host host = sources::read_host(roots);
    facts.host = host.name;
    facts.kernel = host.kernel;
    facts.cpu_count = host.cpus.value_or(0);
    facts.in_first_pid_namespace = host.in_first_pid_namespace;
    if (const auto boot = read_file_at(roots.proc(), "sys/kernel/random/boot_id"))
        facts.boot_id = trim(*boot);
    const sources::KernelSettings settings = sources::read_kernel_settings(roots);
    facts.overcommit_mode = settings.overcommit_memory;
    facts.max_map_count = settings.max_map_count;
    facts.supervisor_pid = ::getpid();
    if (auto self = sources::ProcessDir::open(roots, ::getpid()))
        if (const auto stat = self->stat()) facts.supervisor_start_ticks = stat->start_ticks;
    char directory[PATH_MAX];
    if (::getcwd(directory, sizeof directory) != nullptr) facts.cwd = directory;
    facts.scheduler = scheduler_of(from_environment);
    return facts;
}

}  // namespace holdfast
