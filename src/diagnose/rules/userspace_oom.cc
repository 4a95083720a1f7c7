// HF109: a memory watchdog ended it before the kernel's OOM killer did.
#include <array>
#include <csignal>
#include <string_view>

#include "diagnose/death/stop_signals.h"
#include "diagnose/facts/memory.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {
namespace {

const SignalSeen* from_memory_watcher(const Autopsy& death) {
    static constexpr std::array<std::string_view, 5> watchers{"earlyoom", "systemd-oomd", "oomd",
                                                              "nohang", "kubelet"};
    const SignalSeen* signal = signal_before_end(death, SIGTERM);
    if (signal == nullptr) return nullptr;
    for (const std::string_view watcher : watchers)
        if (sent_by(*signal, watcher)) return signal;
    return nullptr;
}

}  // namespace

std::optional<Finding> userspace_oom(const Autopsy& death) {
    if (!death.failed()) return std::nullopt;
    if (const SignalSeen* signal = from_memory_watcher(death)) {
        const bool decided = death.by(SIGTERM) || death.by(SIGKILL) || death.exit.code == 143;
        return finding_about(death, "userspace-oom"_cause,
                             decided ? Confidence::certain : Confidence::likely,
                             facts::MemoryWatcher{signal});
    }
    const CgroupEvidence* cgroup = death.cgroup();
    if (cgroup == nullptr || !cgroup->userspace_oom_mark || !death.by(SIGKILL) || death.oom_kill)
        return std::nullopt;
    // The mark is on the cgroup, not on the pid: oomd kills the whole cgroup, at an unknown time.
    return finding_about(death, "userspace-oom"_cause, Confidence::likely,
                         facts::MemoryWatcher{nullptr});
}

}  // namespace holdfast::rules
