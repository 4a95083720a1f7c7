#include "diagnose/gaps.h"

#include <algorithm>
#include <csignal>
#include <string_view>

#include "diagnose/oom_count.h"

namespace holdfast {
namespace {

void add(std::vector<std::string>& list, std::string_view subject, std::string text) {
    const bool told = std::any_of(list.begin(), list.end(), [subject](const std::string& entry) {
        return entry.find(subject) != std::string::npos;
    });
    if (!told) list.push_back(std::move(text));
}

}  // namespace

std::vector<std::string> gaps(const Death& death) {
    std::vector<std::string> list = death.all.missing;
    if (!death.exit_known())
        add(list, "supervisor was lost",
            "exit status: the supervisor was gone when the program ended");
    if (death.told == Death::Told::wrapper && death.exit.signal)
        add(list, "exit status", "exit status of the program itself: only its wrapper's was seen");
    if (death.by(SIGKILL) || !death.exit_known()) {
        if (oom_count_of(death).fit == OomCount::Fit::unreadable)
            add(list, "oom_kill", "oom_kill count of the process's own cgroup");
        if (!death.all.host.oom_kill_first || !death.all.host.oom_kill_last)
            add(list, "vmstat", "oom_kill count of the machine (/proc/vmstat)");
        if (!death.all.host.in_first_pid_namespace)
            add(list, "kernel log",
                "kernel log: its pids cannot be compared from inside this pid namespace");
    }
    if (death.failed() && !death.all.stderr_seen)
        add(list, "stderr", "stderr: the program's last words were not seen");
    return list;
}

}  // namespace holdfast
