#include "diagnose/words/memory_fixes.h"

#include "base/format.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/oom/memory_held.h"
#include "diagnose/text/exception_text.h"
#include "diagnose/words/phrases.h"
#include "knowledge/schedulers.h"

namespace holdfast {
namespace {

bool mentions(const CgroupLevel& level, std::string_view word) {
    return level.path.find(word) != std::string::npos;
}

bool owns(const Scheduler& scheduler, const Death& death, const CgroupLevel& level) {
    return !scheduler.raise_memory.empty() &&
           (death.all.scheduler.kind == scheduler.kind ||
            (!scheduler.cgroup.empty() && mentions(level, scheduler.cgroup)));
}

// "#SBATCH --mem=512M" of "#SBATCH --mem=MIBM".
std::string spelled_for(std::uint64_t mib, std::string command) {
    const std::size_t at = command.find("MIB");
    if (at != std::string::npos) command.replace(at, 3, std::to_string(mib));
    return command;
}

std::string command_to_raise(const Death& death, const CgroupLevel& level, Bytes to) {
    const std::uint64_t mib = to.count >> 20U;
    for (const Scheduler& scheduler : schedulers())
        if (owns(scheduler, death, level)) return spelled_for(mib, scheduler.raise_memory);
    if (mentions(level, "docker") || level.path.empty() || level.path == "/")
        return formatted("docker run --memory={}m ...", mib);
    const std::size_t slash = level.path.rfind('/');
    const std::string unit = level.path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (unit.ends_with(".service") || unit.ends_with(".scope") || unit.ends_with(".slice"))
        return formatted("systemctl set-property --runtime {} MemoryMax={}M", unit, mib);
    return {};
}

}  // namespace

std::string fewer_workers(const Death& death) {
    for (const ProcessEvidence& process : death.all.processes)
        for (const std::string_view word : {"joblib", "loky"})
            if (process.role == Role::worker && process.command.find(word) != std::string::npos)
                return "n_jobs=1, pre_dispatch=1";
    return uses(death, "torch") ? "DataLoader(..., num_workers=1, prefetch_factor=1)" : "";
}

Fix raise_limit(const Death& death, const CgroupLevel& level) {
    if (!level.limit) return {"Raise the memory limit of the container or cgroup.", {}};
    const Bytes to = roomier(*level.limit);
    const std::optional<Bytes> tree = held_by_tree(death);
    const std::string had =
        tree ? formatted(" and the program had {} at the last look", human(*tree)) : "";
    const std::string need = was_idle_kernel(death)
                                 ? ""
                                 : " It was still asking for memory when it was stopped, so its "
                                   "real need is not known.";
    return {formatted("{} is {}{}: raise it to {} or more.{}",
                      level.path.empty() || level.path == "/" ? "The container's limit"
                                                              : "The limit of " + level.path,
                      human(*level.limit), had, human(to), need),
            command_to_raise(death, level, to)};
}

Fix load_within(const Death& death, std::string_view call) {
    // A quarter of the limit, as people write sizes.
    const Bytes quarter{death.all.memory.limit.value_or(Bytes::gib(2)).count / 4};
    Bytes budget = Bytes::mib(64);
    while (budget < Bytes::gib(1) && Bytes{budget.count * 2} <= quarter) budget.count *= 2;
    return {"Read the data with a loader that stays within a fixed number of bytes.",
            formatted("{}, budget=\"{}MiB\")", call, budget.count >> 20U)};
}

std::vector<Fix> need_less(const Death& death) {
    std::vector<Fix> fixes;
    std::size_t workers = 0;
    Bytes together;
    for (const ProcessEvidence& process : death.all.processes) {
        if (process.role != Role::worker || process.exit) continue;
        ++workers;
        together += held_by(process).value_or(Bytes{});
    }
    if (workers > 0 && together >= Bytes::mib(64)) {
        // Shared pages count in each worker, so a sum above the limit means nothing.
        const bool counted = !death.all.memory.limit || together <= *death.all.memory.limit;
        fixes.push_back({formatted("{} workers held {} together: use fewer of them, or let them "
                                   "prefetch less.",
                                   workers, counted ? human(together) : "most of it"),
                         fewer_workers(death)});
    }
    if (death.python())
        fixes.push_back(
            {"Take a smaller batch, or read the data in pieces instead of all at once.", {}});
    else
        fixes.push_back({"Work on smaller pieces of the data at a time.", {}});
    return fixes;
}

}  // namespace holdfast
