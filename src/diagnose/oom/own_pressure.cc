#include "diagnose/oom/own_pressure.h"

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "diagnose/oom/oom_kill.h"

namespace holdfast {
namespace {

// The program's own share of the pages that were read again. Imports read pages, too, so this
// proves nothing alone.
bool waited_itself(const Death& death) {
    constexpr std::uint64_t least = 50;
    constexpr std::uint64_t most = 1'000'000'000;  // so that sums cannot overflow
    constexpr double share = 0.1;
    const PressureEvidence& pressure = death.all.pressure;
    const double everybody =
        pressure.major_faults_per_second.value_or(0) * seconds(pressure.window.value_or(RunTime{}));
    std::uint64_t own = 0;
    for (const ProcessEvidence& process : death.all.processes)
        own += std::min(process.major_faults.value_or(0), most);
    return own >= least && static_cast<double>(own) >= share * everybody;
}

}  // namespace

bool memory_was_short(const Death& death) {
    constexpr Bytes some_swap{16U << 20U};
    const HostEvidence& host = death.all.host;
    if (host.total && host.available_least && host.available_least->share_of(*host.total) < 0.1)
        return true;
    for (const ProcessEvidence& process : death.all.processes)
        if (process.swap.value_or(Bytes{}) >= some_swap) return true;
    const CgroupEvidence* cgroup = death.cgroup();
    return cgroup != nullptr && limit_reached(*cgroup).has_value();
}

bool had_to_wait_for_pages(const Death& death) {
    return memory_was_short(death) && waited_itself(death);
}

bool may_have_waited_for_cpu(const Death& death) {
    const ProcessEvidence* process = death.process;
    if (process == nullptr || !process->cpu_time) return true;
    const RunTime until = process->ended.value_or(process->last_seen);
    const double lived = seconds(until) - seconds(process->first_seen);
    const double used = seconds(*process->cpu_time);
    return used < 0.9 * lived || used > 1.1 * lived;
}

}  // namespace holdfast
