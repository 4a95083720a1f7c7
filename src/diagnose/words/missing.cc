#include "diagnose/words/missing.h"

#include "base/format.h"

namespace holdfast {
namespace {

std::string with_reason(std::string_view head, const std::string& reason) {
    return reason.empty() ? std::string(head) : formatted("{}: {}", head, reason);
}

std::string how_lost(const Missing& missing, std::string_view then) {
    return formatted("the supervisor {}{}", missing.detail.empty() ? "was lost" : missing.detail,
                     then);
}

}  // namespace

std::string sentence_about(const Missing& missing) {
    using enum MissingKind;
    switch (missing.what) {
    case unsaid:
    case other:
    case kernel_log:
    case oom_count:
    case host_counters:
    case exit_status:
    case supervisor:
    case stderr_text:
    case record_damaged: return missing.detail;

    case meminfo: return "/proc/meminfo not readable";
    case vmstat: return "/proc/vmstat not readable";
    case pressure: return "this kernel keeps no pressure figures (PSI)";
    case kernel_log_closed: return "kernel log not readable by this user";
    case kernel_log_closed_now: return "kernel log not readable";
    case kernel_log_cut: return "some lines of the kernel log came too fast to be read";
    case kernel_log_of_namespace:
        return "kernel log: its pids cannot be compared from inside this pid namespace";
    case memory_cgroup: return with_reason("no memory cgroup visible", missing.detail);
    case from_inside: return with_reason("Python lines and native stacks", missing.detail);
    case from_outside: return with_reason("Python stacks from outside", missing.detail);
    case lines_of_python:
        return formatted("Python lines: not readable in Python {}", missing.detail);
    case hook_failed: return with_reason("a Python hook failed", missing.detail);
    case processes_refused:
        return formatted(
            "{} processes were observed from outside only: more at once than there is room for",
            missing.detail);
    case guard_off: return with_reason("the guard is off", missing.detail);

    case lost_before_reboot: return how_lost(missing, " before the command's end");
    case lost_but_command_runs: return how_lost(missing, "; the command still runs, unwatched");
    case lost_before_end:
        return how_lost(missing, " before the command's end: how it ended was not seen");
    case lost_at_known_end: return how_lost(missing, ": nobody looked at the end");
    case lost_at_unknown_end: return how_lost(missing, ": how the command ended was not seen");
    case restarted:
        return "the machine was restarted since: its counters and log say nothing about this run";
    case perhaps_restarted: return "it is not known whether the machine was restarted since";
    case end_not_awaited: return "how the command ended is taken from its own record";

    case stderr_unrecorded: return "stderr: not recorded";
    case stderr_record_lost: return "stderr: its record is lost";
    case stderr_on_terminal: return "stderr: went to the terminal, not recorded";
    case stderr_file_unread: return with_reason("stderr", missing.detail);
    case stderr_file_not_tried: return "stderr: its file was not looked at";
    case stderr_file_changed: return "stderr: its file was written to after the run";
    case stderr_unseen: return "stderr: the program's last words were not seen";

    case exit_status_unseen: return "exit status: the supervisor was gone when the program ended";
    case exit_status_of_wrapper:
        return "exit status of the program itself: only its wrapper's was seen";
    case oom_count_of_cgroup: return "oom_kill count of the process's own cgroup";
    case oom_count_of_machine: return "oom_kill count of the machine (/proc/vmstat)";
    }
    return missing.detail;
}

std::vector<std::string> sentences(const std::vector<Missing>& list) {
    std::vector<std::string> texts;
    texts.reserve(list.size());
    for (const Missing& entry : list) texts.push_back(sentence_about(entry));
    return texts;
}

}  // namespace holdfast
