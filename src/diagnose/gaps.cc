#include "diagnose/gaps.h"

#include <csignal>

#include "diagnose/oom/oom_count.h"

namespace holdfast {
namespace {

void add(std::vector<Missing>& list, MissingKind what) {
    if (!is_missing(list, subject_of(what))) list.push_back({what, {}});
}

}  // namespace

std::vector<Missing> gaps(const Autopsy& death) {
    std::vector<Missing> list = death.all.missing;
    if (!death.exit_known() && !is_missing(list, MissingKind::supervisor))
        add(list, MissingKind::exit_status_unseen);
    if (death.told == Death::Told::wrapper && death.exit.signal)
        add(list, MissingKind::exit_status_of_wrapper);
    if (death.by(SIGKILL) || !death.exit_known()) {
        if (death.oom_count.fit == OomCount::Fit::unreadable)
            add(list, MissingKind::oom_count_of_cgroup);
        if (!death.all.host.oom_kill_first || !death.all.host.oom_kill_last)
            add(list, MissingKind::oom_count_of_machine);
        if (!death.all.host.in_first_pid_namespace) add(list, MissingKind::kernel_log_of_namespace);
    }
    if (death.failed() && !death.all.stderr_seen) add(list, MissingKind::stderr_unseen);
    return list;
}

}  // namespace holdfast
