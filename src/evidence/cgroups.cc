// The cgroups of the tree, each with its chain of levels and the kills that were seen in it.
#include <algorithm>

#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

constexpr std::size_t most_kills = 256;

// Without one component "/a/b/c" is "/a/b"; without three or more it is "/".
std::string path_above(std::string path, std::uint32_t components) {
    for (; components > 0 && path.size() > 1; --components) {
        const std::size_t slash = path.find_last_of('/');
        if (slash == std::string::npos) return "/";
        path.resize(std::max<std::size_t>(slash, 1));
    }
    return path;
}

CgroupLevel level_of(const format::CgroupLevel& l, const std::string& own_path) {
    CgroupLevel level;
    level.path = path_above(own_path, l.components_up);
    level.limit = bytes(l.limit);
    level.usage_first = bytes(l.usage_first);
    level.usage_last = bytes(l.usage);
    level.peak = bytes(l.peak);
    level.limit_hits_first = known(l.limit_hits_first);
    level.limit_hits_last = known(l.limit_hits);
    level.oom_first = known(l.oom_first);
    level.oom_last = known(l.oom);
    level.oom_kill_first = known(l.oom_kill_first);
    level.oom_kill_last = known(l.oom_kill);
    level.swap_limit = bytes(l.swap_limit);
    level.swap_usage = bytes(l.swap_usage);
    level.pids_limit = known(l.pids_limit);
    level.pids_usage = known(l.pids);
    level.pids_refused_first = known(l.pids_refused_first);
    level.pids_refused_last = known(l.pids_refused);
    if (l.oom_group <= 1) level.oom_group = l.oom_group == 1;
    return level;
}

CgroupEvidence cgroup_of(const format::Cgroup& c) {
    CgroupEvidence cgroup;
    cgroup.version = c.version == 1 || c.version == 2 ? static_cast<int>(c.version) : 0;
    const std::string path = fixed_text(c.path);
    const std::size_t count = std::min<std::size_t>(c.level_count, format::cgroup_levels);
    for (std::size_t i = 0; i < count; ++i) cgroup.levels.push_back(level_of(c.levels[i], path));
    cgroup.anon = bytes(c.anon);
    cgroup.file = bytes(c.file);
    cgroup.shmem = bytes(c.shmem);
    cgroup.kernel = bytes(c.kernel);
    for (const std::int32_t pid : c.strangers_gone) {
        if (pid == 0) break;
        if (pid > 0) cgroup.strangers_gone.push_back(pid);
    }
    return cgroup;
}

}  // namespace

std::optional<int> cgroup_index(const RunRecord& record, std::int64_t slot) {
    if (slot < 0) return std::nullopt;
    for (std::size_t i = 0; i < record.cgroups.size(); ++i)
        if (record.cgroups[i].slot == static_cast<std::uint64_t>(slot)) return static_cast<int>(i);
    return std::nullopt;
}

std::vector<CgroupEvidence> cgroups(const RunRecord& record, const RunClock& clock) {
    std::vector<CgroupEvidence> all;
    for (const auto& row : record.cgroups) all.push_back(cgroup_of(row.record));
    for (const format::Event& event : record.events) {
        if (event.kind != format::EventKind::oom_kill_moved) continue;
        const auto index = cgroup_index(record, event.a);
        if (!index || event.b < 0 || event.c <= event.b) continue;
        CgroupEvidence& cgroup = all[static_cast<std::size_t>(*index)];
        const OomKillMoved kill{clock.at(event.d), clock.at(event.time),
                                static_cast<std::uint64_t>(event.b),
                                static_cast<std::uint64_t>(event.c)};
        if (cgroup.kills.size() < most_kills) cgroup.kills.push_back(kill);
        // An event is written at once, the table a little later: if the supervisor was lost in
        // between, the table lacks the kill.
        if (cgroup.levels.empty()) continue;
        auto& last = cgroup.levels[0].oom_kill_last;
        if (!last || *last < kill.after_count) last = kill.after_count;
    }
    return all;
}

}  // namespace holdfast::gatherers
