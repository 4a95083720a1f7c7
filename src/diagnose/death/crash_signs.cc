#include "diagnose/death/crash_signs.h"

#include "base/time.h"
#include "diagnose/text/python_dump.h"

namespace holdfast {
namespace {

constexpr Nanos clock_slack{5'000'000'000};

}  // namespace

const KernelLogEntry* crash_line(const Death& death) {
    if (!death.all.host.in_first_pid_namespace || death.pid <= 0) return nullptr;
    for (const KernelLogEntry& entry : death.all.kernel_log) {
        if (entry.pid != death.pid || entry.kind == KernelLogEntry::Kind::oom_kill) continue;
        const bool trap = entry.text.find(" trap ") != std::string::npos ||
                          entry.text.find("general protection") != std::string::npos;
        if (entry.kind != KernelLogEntry::Kind::segfault && !trap) continue;
        if (death.time && entry.time > later(*death.time, clock_slack)) continue;
        return &entry;
    }
    return nullptr;
}

bool faulthandler_spoke(const Death& death) {
    if (!death.decides) return false;
    const std::optional<PythonDump> dump = python_dump_at_end(death.all.stderr_tail);
    return dump && dump->names_signal;
}

Confidence sure_of_crash(const Death& death, bool decided) {
    return decided && death.sure_of_exit() ? Confidence::certain : Confidence::likely;
}

}  // namespace holdfast
