// HF501 to HF505 and HF805 in words: limits of processes, disks and files.
#include <algorithm>

#include "base/format.h"
#include "diagnose/facts/limits.h"
#include "diagnose/words/account.h"
#include "diagnose/words/phrases.h"

namespace holdfast::facts {
namespace {

std::string threads_limit(const ThreadLimit::Count& count) {
    return count.level != nullptr ? "pids.max of the container or cgroup"
                                  : "the user's limit (ulimit -u)";
}

void add_count(Account& account, const ThreadLimit::Count& count) {
    if (count.level == nullptr)
        return account.saw("threads",
                           formatted("{} in this run, limit {}", count.ours, count.limit));
    const CgroupLevel& level = *count.level;
    if (count.refused)
        return account.saw("pids.events",
                           moved("max", *level.pids_refused_first, *level.pids_refused_last));
    account.saw("pids.current", formatted("{} of {}", *level.pids_usage, *level.pids_limit));
}

}  // namespace

void tell(const ThreadLimit& facts, const Autopsy& death, Account& account) {
    const std::optional<ThreadLimit::Count>& count = facts.count;
    account =
        account_of(death, count ? formatted("{} could start no new thread or process: {} is {}.",
                                            who(death), threads_limit(*count), count->limit)
                                : formatted("{} could start no new thread or process; which "
                                            "limit it reached is not known.",
                                            who(death)));
    account.saw(facts.said.source, shortened(facts.said.line));
    if (count) {
        add_count(account, *count);
        account.advise(formatted("Raise {} above {}.", threads_limit(*count), count->limit),
                       count->level != nullptr
                           ? formatted("docker run --pids-limit={} ...", count->limit * 4)
                           : formatted("ulimit -u {}", count->limit * 4));
    }
    account.advise("Start fewer threads: numeric libraries start one per CPU in every process.",
                   "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1");
}

void tell(const FdLimit& facts, const Autopsy& death, Account& account) {
    const ProcessEvidence* process = facts.process;
    account = account_of(death, formatted("{} could open no more files.", who(death)));
    if (facts.said) account.saw(facts.said->source, shortened(facts.said->line));
    std::uint64_t limit =
        death.process != nullptr ? death.process->limits.open_files.value_or(0) : 0;
    if (process != nullptr) {
        limit = *process->limits.open_files;
        const std::uint64_t open =
            process->open_files_peak.value_or(process->open_files.value_or(0));
        account.summary =
            facts.said ? formatted("{} could open no more files: {} were open, and {} are allowed.",
                                   who(death), open, limit)
                       : formatted("{} had {} files open, all that are allowed, before it failed.",
                                   who(death), open);
        account.saw("/proc/PID/fd", formatted("{} open (pid {})", open, process->pid));
        account.saw("/proc/PID/limits", formatted("open files {}", limit));
    }
    account.advise(
        limit > 0 ? formatted("Allow more than {} open files.", limit) : "Allow more open files.",
        formatted("ulimit -n {}",
                  std::max<std::uint64_t>(65536, limit < 1U << 30U ? limit * 4 : limit)));
    if (facts.said && facts.said->line.find("ancdata") != std::string::npos)
        account.advise("Let torch share tensors through files instead of descriptors.",
                       "torch.multiprocessing.set_sharing_strategy(\"file_system\")");
    else
        account.advise("Close files when done with them.",
                       death.python() ? "with open(path) as file: ..." : "");
}

void tell(const CpuTimeLimit& facts, const Autopsy& death, Account& account) {
    const std::string figure = facts.seconds ? formatted(" of {} s", *facts.seconds) : "";
    account = account_of(
        death, formatted("{} used up its CPU time limit{} (RLIMIT_CPU) and was stopped by {}.",
                         who(death), figure, signal_name(*death.exit.signal)));
    if (death.process != nullptr && death.process->cpu_time)
        account.saw("CPU time", human(*death.process->cpu_time));
    if (facts.seconds) account.saw("/proc/PID/limits", formatted("{} s", *facts.seconds));
    account.advise("Raise the limit where the program is started.", "ulimit -t unlimited");
}

void tell(const FileSizeLimit& facts, const Autopsy& death, Account& account) {
    const std::optional<Bytes> limit =
        death.process != nullptr ? death.process->limits.file_size : std::nullopt;
    const std::string figure = limit ? formatted(" of {}", human(*limit)) : "";
    account = account_of(
        death, formatted("{} wrote a file that reached the file-size limit{} (RLIMIT_FSIZE).",
                         who(death), figure));
    if (facts.said) account.saw(facts.said->source, shortened(facts.said->line));
    if (limit) account.saw("/proc/PID/limits", "file size " + human(*limit));
    account.advise("Raise the limit, or write smaller files.", "ulimit -f unlimited");
}

void tell(const DiskFull& facts, const Autopsy& death, Account& account) {
    const DiskEvidence* disk = facts.disk;
    const std::string place = disk != nullptr ? disk->path : facts.path;
    account = account_of(
        death, place.empty() ? formatted("{} found no space left on a device.", who(death))
                             : formatted("{} found no space left at {}.", who(death), place));
    account.saw(facts.said.source, shortened(facts.said.line));
    if (disk != nullptr) {
        const std::string figures = room_on(*disk);
        account.saw("statvfs " + disk->path, figures);
        account.summary = formatted("{} found no space left at {} ({}{}).", who(death), disk->path,
                                    disk->use.empty() ? "" : disk->use + ", ", figures);
    }
    account.advise(place.empty() ? "Free some space, or write elsewhere."
                                 : formatted("Free some space at {}, or write elsewhere.", place),
                   place.empty() ? "df -h" : "df -h " + place);
}

void tell(const DiskErrors& facts, const Autopsy& death, Account& account) {
    account = account_of(
        death, formatted("{} could not read or write a file: the device answered with an error.",
                         who(death)));
    account.saw(facts.said.source, shortened(facts.said.line));
    if (facts.entry != nullptr) account.saw("kernel log", shortened(facts.entry->text));
    account.advise("Copy what matters off this disk first, then check its health.",
                   "sudo smartctl -a /dev/sdX   # dmesg | grep -i 'I/O error' names it");
}

}  // namespace holdfast::facts
