// HF502, HF504 and HF505: limits of one process on descriptors, CPU time and file size.
#include <algorithm>
#include <csignal>

#include "diagnose/death/place.h"
#include "diagnose/facts/limits.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/last_text.h"

namespace holdfast::rules {
namespace {

// The process of the program that is nearest to its limit on descriptors.
const ProcessEvidence* fullest(const Autopsy& death) {
    const ProcessEvidence* best = nullptr;
    double most = 0.9;
    for (const ProcessEvidence& process : death.all.processes) {
        const std::optional<std::uint64_t> open =
            process.open_files_peak ? process.open_files_peak : process.open_files;
        if (!open || !process.limits.open_files || *process.limits.open_files == 0) continue;
        const double share =
            static_cast<double>(*open) / static_cast<double>(*process.limits.open_files);
        if (share >= most) {
            most = share;
            best = &process;
        }
    }
    return best;
}

// A program that swallows the error fails later, of something else: a file that is None.
std::optional<Finding> fd_limit_swallowed(const Autopsy& death) {
    const ProcessEvidence* process = death.process;
    if (process == nullptr || death.exception == nullptr || !process->open_files_peak ||
        !process->limits.open_files || *process->open_files_peak < *process->limits.open_files)
        return std::nullopt;
    return finding_about(death, "fd-limit"_cause, Confidence::likely, facts::FdLimit{{}, process});
}

Finding cpu_finding(const Autopsy& death, std::optional<std::uint64_t> limit) {
    return finding_about(death, "cpu-time-limit"_cause,
                         death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                         facts::CpuTimeLimit{limit});
}

}  // namespace

std::optional<Finding> fd_limit(const Autopsy& death) {
    const std::optional<Said> said = system_said_last(
        death, {"Too many open files", "[Errno 24]", "received 0 items of ancdata", "EMFILE"});
    if (!said) return fd_limit_swallowed(death);
    const ProcessEvidence* process = fullest(death);
    if (process == nullptr && !said->final) return std::nullopt;  // perhaps not about this end
    const bool fits = said->final && death.exit_known() && !death.exit.signal;
    Finding finding =
        finding_about(death, "fd-limit"_cause,
                      process != nullptr && fits ? Confidence::certain : Confidence::likely,
                      facts::FdLimit{said, process});
    // If another process held the descriptors, the line that reached the limit is not to blame.
    const TracebackText* traceback = death.exception;
    if (process != nullptr && process->pid != death.pid && traceback != nullptr &&
        !place_in_worker(death, *traceback))
        finding.where.reset();
    return finding;
}

std::optional<Finding> cpu_time_limit(const Autopsy& death) {
    if (death.by(SIGXCPU))
        return cpu_finding(death, death.process != nullptr ? death.process->limits.cpu_seconds_soft
                                                           : std::nullopt);
    if (!death.by(SIGKILL) || death.process == nullptr || !death.process->cpu_time ||
        !death.process->limits.cpu_seconds_hard || death.oom_kill)
        return std::nullopt;
    // The last look is a little older than the end.
    const double used = seconds(*death.process->cpu_time);
    const double limit = static_cast<double>(*death.process->limits.cpu_seconds_hard);
    if (used < limit - std::max(1.0, limit * 0.01)) return std::nullopt;
    return cpu_finding(death, death.process->limits.cpu_seconds_hard);
}

std::optional<Finding> file_size_limit(const Autopsy& death) {
    const bool signalled = death.by(SIGXFSZ);
    const std::optional<Said> said =
        signalled ? std::nullopt : system_said_last(death, {"File too large", "[Errno 27]"});
    if (!signalled && !said) return std::nullopt;
    const std::optional<Bytes> limit =
        death.process != nullptr ? death.process->limits.file_size : std::nullopt;
    // Without a known limit, it may also be the largest file that the filesystem can hold.
    const bool decided =
        signalled ? death.sure_of_exit() : limit && said->final && death.exit.code.has_value();
    return finding_about(death, "file-size-limit"_cause,
                         decided ? Confidence::certain : Confidence::likely,
                         facts::FileSizeLimit{said});
}

}  // namespace holdfast::rules
