#include "diagnose/gaps.h"

#include <csignal>
#include <utility>

#include "diagnose/oom/oom_count.h"

namespace holdfast {
namespace {

using What = Missing::What;

void add(std::vector<Missing>& list, What what, std::string sentence) {
    if (!is_missing(list, what)) list.push_back({what, std::move(sentence)});
}

}  // namespace

std::vector<Missing> gaps(const Autopsy& death) {
    std::vector<Missing> list = death.all.missing;
    if (!death.exit_known() && !is_missing(list, What::supervisor))
        add(list, What::exit_status, "exit status: the supervisor was gone when the program ended");
    if (death.told == Death::Told::wrapper && death.exit.signal)
        add(list, What::exit_status,
            "exit status of the program itself: only its wrapper's was seen");
    if (death.by(SIGKILL) || !death.exit_known()) {
        if (death.oom_count.fit == OomCount::Fit::unreadable)
            add(list, What::oom_count, "oom_kill count of the process's own cgroup");
        if (!death.all.host.oom_kill_first || !death.all.host.oom_kill_last)
            add(list, What::host_counters, "oom_kill count of the machine (/proc/vmstat)");
        if (!death.all.host.in_first_pid_namespace)
            add(list, What::kernel_log,
                "kernel log: its pids cannot be compared from inside this pid namespace");
    }
    if (death.failed() && !death.all.stderr_seen)
        add(list, What::stderr_text, "stderr: the program's last words were not seen");
    return list;
}

}  // namespace holdfast
