#include "model/evidence.h"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast {
namespace {

struct Mark {
    std::string_view words;
    MissingKind what;
};

// How the sentences began that supervisors wrote before there were kinds. Other people's words come
// later in them.
constexpr std::array marks{
    Mark{"kernel log", MissingKind::kernel_log},
    Mark{"some lines of the kernel log", MissingKind::kernel_log},
    Mark{"oom_kill count of the process's own cgroup", MissingKind::oom_count},
    Mark{"oom_kill count of the machine", MissingKind::host_counters},
    Mark{"/proc/vmstat", MissingKind::host_counters},
    Mark{"exit status", MissingKind::exit_status},
    Mark{"the supervisor ", MissingKind::supervisor},
    Mark{"stderr", MissingKind::stderr_text},
};

}  // namespace

Missing Missing::from_text(std::string text) {
    for (const Mark& mark : marks)
        if (text.starts_with(mark.words)) return {mark.what, std::move(text)};
    return {MissingKind::other, std::move(text)};
}

bool is_missing(const std::vector<Missing>& list, MissingKind subject) {
    return std::any_of(list.begin(), list.end(), [subject](const Missing& entry) {
        return subject_of(entry.what) == subject;
    });
}

const ProcessEvidence* Evidence::process(int pid) const {
    for (const ProcessEvidence& p : processes)
        if (p.pid == pid) return &p;
    return nullptr;
}

const ProcessEvidence* Evidence::main() const { return main_pid ? process(*main_pid) : nullptr; }

const CgroupEvidence* Evidence::cgroup_of(const ProcessEvidence& process) const {
    if (!process.cgroup || *process.cgroup < 0 ||
        static_cast<std::size_t>(*process.cgroup) >= cgroups.size())
        return nullptr;
    return &cgroups[static_cast<std::size_t>(*process.cgroup)];
}

}  // namespace holdfast
