// HF501: no new thread or process could be started, recognised by the message and the counts.
#include <algorithm>

#include "diagnose/facts/limits.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/last_text.h"
#include "knowledge/places.h"

namespace holdfast::rules {
namespace {

std::optional<Said> thread_words(const Autopsy& death) {
    return system_said_last(
        death, {"can't start new thread", "pthread_create failed", "Thread creation failed",
                "unable to create new native thread", "fork: Resource temporarily unavailable",
                "fork: retry", "Cannot fork"});
}

// The exception comes from starting a thread or a process.
bool started_something(const Autopsy& death) {
    if (death.exception == nullptr) return false;
    const std::vector<Frame>& frames = death.exception->frames;
    return std::any_of(frames.begin(), frames.end(),
                       [](const Frame& frame) { return is_process_start(frame.file); });
}

// EAGAIN may be about anything: a read, shared memory, a lock on a file.
std::optional<Said> words_of_eagain(const Autopsy& death) {
    const bool is_read = death.exception != nullptr && death.exception->type == "BlockingIOError";
    if (is_read && !started_something(death)) return std::nullopt;
    return system_said_last(death, {"Resource temporarily unavailable"});
}

using Count = facts::ThreadLimit::Count;

std::optional<Count> pids_limit(const CgroupEvidence* cgroup) {
    if (cgroup == nullptr) return std::nullopt;
    for (const CgroupLevel& level : cgroup->levels) {
        if (!level.pids_limit) continue;
        const bool refused = level.pids_refused_first && level.pids_refused_last &&
                             *level.pids_refused_last > *level.pids_refused_first;
        const bool near = level.pids_usage && static_cast<double>(*level.pids_usage) >=
                                                  0.95 * static_cast<double>(*level.pids_limit);
        if (refused || near) return Count{*level.pids_limit, &level, refused, 0};
    }
    return std::nullopt;
}

std::optional<Count> user_limit(const Autopsy& death) {
    if (death.process == nullptr || !death.process->limits.processes) return std::nullopt;
    const std::uint64_t limit = *death.process->limits.processes;
    // The kernel counts all threads of the user; ours are only a lower bound.
    std::uint64_t ours = 0;
    for (const ProcessEvidence& process : death.all.processes)
        if (!process.exit || process.pid == death.pid)
            ours += process.threads_peak.value_or(process.threads.value_or(1));
    if (static_cast<double>(ours) < 0.8 * static_cast<double>(limit)) return std::nullopt;
    return Count{limit, nullptr, false, ours};
}

}  // namespace

std::optional<Finding> thread_limit(const Autopsy& death) {
    std::optional<Count> count = pids_limit(death.cgroup());
    if (!count) count = user_limit(death);
    std::optional<Said> said = thread_words(death);
    if (!said && (count || started_something(death))) said = words_of_eagain(death);
    if (!said) return std::nullopt;
    if (!count && !said->final) return std::nullopt;  // perhaps not about this end
    const bool fits =
        said->final && (death.exit.signal || death.exit.code == 1 || death.exception == nullptr);
    return finding_about(
        death, "thread-limit"_cause,
        count && fits && death.exit_known() ? Confidence::certain : Confidence::likely,
        facts::ThreadLimit{*said, count});
}

}  // namespace holdfast::rules
