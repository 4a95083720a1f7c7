// What could not be seen. Black box and recordings keep these numbers and words: add kinds at the
// end, and never use one again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast {

enum class MissingKind : std::uint8_t {
    unsaid,  // a record from before there were kinds: its text is the whole sentence

    // What a kind is about; of an old sentence no more is known.
    other,
    kernel_log,
    oom_count,      // of the process's own cgroup
    host_counters,  // /proc/vmstat
    exit_status,
    supervisor,  // it was lost
    stderr_text,

    // Told by the supervisor.
    meminfo,
    vmstat,
    pressure,
    kernel_log_closed,  // to this user
    kernel_log_cut,     // some lines were lost
    memory_cgroup,
    from_inside,  // Python lines and native stacks, which the agent would have recorded
    from_outside,
    guard_off,

    // Told by who reads the record.
    record_damaged,
    kernel_log_closed_now,
    lost_before_reboot,     // the supervisor; the detail says how
    lost_but_command_runs,  // likewise
    lost_before_end,
    lost_at_known_end,
    lost_at_unknown_end,
    restarted,  // the machine, since the run
    perhaps_restarted,
    end_not_awaited,  // it is taken from the program's own record
    stderr_unrecorded,
    stderr_record_lost,
    stderr_on_terminal,
    stderr_file_unread,
    stderr_file_not_tried,
    stderr_file_changed,
    lines_of_python,  // the detail is the version
    hook_failed,
    processes_refused,  // the detail is their number

    // What the rules lacked.
    exit_status_unseen,
    exit_status_of_wrapper,
    oom_count_of_cgroup,
    oom_count_of_machine,
    kernel_log_of_namespace,
    stderr_unseen,
};

// In the order of the enum.
inline constexpr std::array<std::string_view, 42> missing_kind_words{
    "unsaid",
    "other",
    "kernel log",
    "oom_kill count",
    "host counters",
    "exit status",
    "supervisor",
    "stderr",
    "meminfo",
    "vmstat",
    "pressure",
    "kernel log closed",
    "kernel log cut",
    "memory cgroup",
    "from inside",
    "from outside",
    "guard off",
    "record damaged",
    "kernel log closed now",
    "lost before reboot",
    "lost but command runs",
    "lost before end",
    "lost at known end",
    "lost at unknown end",
    "restarted",
    "perhaps restarted",
    "end not awaited",
    "stderr unrecorded",
    "stderr record lost",
    "stderr on terminal",
    "stderr file unread",
    "stderr file not tried",
    "stderr file changed",
    "lines of python",
    "hook failed",
    "processes refused",
    "exit status unseen",
    "exit status of wrapper",
    "oom_kill count of cgroup",
    "oom_kill count of machine",
    "kernel log of namespace",
    "stderr unseen",
};
static_assert(missing_kind_words.size() ==
              static_cast<std::size_t>(MissingKind::stderr_unseen) + 1);

// From a record; `other` if a newer Holdfast wrote it.
constexpr MissingKind missing_kind_of(std::int64_t number) {
    if (number < 0 || number >= static_cast<std::int64_t>(missing_kind_words.size()))
        return MissingKind::other;
    return static_cast<MissingKind>(number);
}

// One of the kinds from `other` to `stderr_text`.
constexpr MissingKind subject_of(MissingKind kind) {
    using enum MissingKind;
    switch (kind) {
    case kernel_log:
    case kernel_log_closed:
    case kernel_log_cut:
    case kernel_log_closed_now:
    case kernel_log_of_namespace: return kernel_log;
    case oom_count:
    case oom_count_of_cgroup: return oom_count;
    case host_counters:
    case vmstat:
    case oom_count_of_machine: return host_counters;
    case exit_status:
    case exit_status_unseen:
    case exit_status_of_wrapper: return exit_status;
    case supervisor:
    case lost_before_reboot:
    case lost_but_command_runs:
    case lost_before_end:
    case lost_at_known_end:
    case lost_at_unknown_end: return supervisor;
    case stderr_text:
    case stderr_unrecorded:
    case stderr_record_lost:
    case stderr_on_terminal:
    case stderr_file_unread:
    case stderr_file_not_tried:
    case stderr_file_changed:
    case stderr_unseen: return stderr_text;
    default: return other;
    }
}

// Whether the text of such an entry is its whole sentence.
constexpr bool is_told_by_text(MissingKind kind) {
    return kind <= MissingKind::stderr_text || kind == MissingKind::record_damaged;
}

}  // namespace holdfast
