// Memory, limits, cgroups, processors: from /proc and /sys/fs/cgroup.
#include <algorithm>

#include "base/text.h"
#include "check/gather.h"
#include "sources/cgroup_place.h"
#include "sources/cgroup_reading.h"
#include "sources/mountinfo.h"

namespace holdfast::check {
namespace {

std::optional<std::uint64_t> number_in(Sight& sight, const std::string& path) {
    const auto text = sight.read(path, 4096);
    return text ? parse_number<std::uint64_t>(trim(*text)) : std::nullopt;
}

Cpu parse_cpuinfo(std::string_view text) {
    Cpu cpu;
    while (const auto line = next_line(text)) {
        const std::size_t colon = line->find(':');
        if (colon == std::string_view::npos) continue;
        const std::string_view key = trim(line->substr(0, colon));
        const std::string_view value = trim(line->substr(colon + 1));
        if (key == "processor") ++cpu.processors;
        if (key == "CPU implementer") cpu.arm = true;
        if (key == "model name" && cpu.model.empty()) cpu.model = std::string(value);
        if ((key == "flags" || key == "Features") && cpu.flags.empty())
            cpu.flags = ' ' + std::string(value) + ' ';
    }
    return cpu;
}

struct Cgroups {
    std::vector<sources::CgroupMembership> memberships;
    std::vector<sources::Mount> mounts;
};

std::optional<sources::CgroupPlace> find_place(Sight& sight, const Cgroups& cgroups,
                                               std::string_view controller) {
    return sources::place_of(controller, cgroups.memberships, cgroups.mounts,
                             [&](const std::string& path) { return sight.exists(path); });
}

std::optional<Bytes> limit_in(Sight& sight, const std::string& file) {
    const auto text = sight.read(file, 4096);
    const auto limit = text ? sources::parse_cgroup_limit(*text) : std::nullopt;
    return limit && limit->value ? std::optional(Bytes{*limit->value}) : std::nullopt;
}

std::optional<Bytes> bytes_in(Sight& sight, const std::string& file) {
    const auto number = number_in(sight, file);
    return number ? std::optional(Bytes{*number}) : std::nullopt;
}

void add_memory_level(Sight& sight, Environment& environment, const sources::CgroupPlace& at) {
    const std::string folder = at.directory() + '/';
    const bool v2 = at.version == 2;
    sources::CgroupMemoryLevel level;
    level.path = at.directory();
    level.usage = bytes_in(sight, folder + (v2 ? "memory.current" : "memory.usage_in_bytes"));
    if (!level.usage) return;  // this level has no figures
    level.limit = limit_in(sight, folder + (v2 ? "memory.max" : "memory.limit_in_bytes"));
    if (v2) {
        level.high = limit_in(sight, folder + "memory.high");
        level.swap_limit = limit_in(sight, folder + "memory.swap.max");
        if (const auto group = number_in(sight, folder + "memory.oom.group"))
            level.oom_group = *group != 0;
    }
    if (const auto stat = sight.read(folder + "memory.stat", 64U << 10U))
        level.stat = sources::parse_cgroup_memory_stat(*stat, at.version);
    environment.memory_levels.push_back(std::move(level));
}

void add_pids_level(Sight& sight, Environment& environment, const sources::CgroupPlace& at) {
    const std::string folder = at.directory() + '/';
    sources::CgroupPidsLevel level;
    level.path = at.directory();
    if (const auto limit = limit_in(sight, folder + "pids.max")) level.limit = limit->count;
    level.usage = number_in(sight, folder + "pids.current");
    if (level.usage) environment.pids_levels.push_back(std::move(level));
}

// The smallest of the quotas of all levels. "200000 100000" means two processors.
void add_quota(Sight& sight, Environment& environment, const sources::CgroupPlace& at) {
    const std::string folder = at.directory() + '/';
    std::optional<double> processors;
    std::string file = folder + (at.version == 2 ? "cpu.max" : "cpu.cfs_quota_us");
    if (at.version == 2) {
        const auto text = sight.read(file, 4096);
        if (!text) return;
        std::string_view rest = *text;
        const auto quota = parse_number<std::uint64_t>(next_word(rest).value_or(""));
        const auto period = parse_number<std::uint64_t>(next_word(rest).value_or(""));
        if (quota && period && *period > 0)
            processors = static_cast<double>(*quota) / static_cast<double>(*period);
    } else {
        const auto quota = number_in(sight, file);  // "-1" means no quota
        const auto period = number_in(sight, folder + "cpu.cfs_period_us");
        if (quota && period && *period > 0)
            processors = static_cast<double>(*quota) / static_cast<double>(*period);
    }
    if (processors && *processors > 0 &&
        (!environment.cpu_quota || *processors < environment.cpu_quota->value))
        environment.cpu_quota = Read<double>{*processors, file};
}

void gather_cgroups(Sight& sight, Environment& environment) {
    const auto memberships = sight.read("/proc/self/cgroup", 64U << 10U);
    const auto mounts = sight.read("/proc/self/mountinfo");
    if (!memberships || !mounts) return;
    auto parsed = sources::parse_pid_cgroup(*memberships);
    if (!parsed) return;
    const Cgroups cgroups{std::move(*parsed), sources::parse_mountinfo(*mounts)};
    constexpr int deepest = 64;
    const auto climb = [&](std::string_view controller, auto add) {
        int depth = 0;
        for (auto at = find_place(sight, cgroups, controller); at && depth < deepest;
             at = at->parent(), ++depth) {
            environment.cgroup_seen = true;
            add(sight, environment, *at);
        }
    };
    climb("memory", add_memory_level);
    climb("pids", add_pids_level);
    climb("cpu", add_quota);
}

}  // namespace

void gather_host(Sight& sight, Environment& environment, std::optional<int> pid) {
    if (const auto text = sight.read("/proc/meminfo", 64U << 10U))
        if (auto memory = sources::parse_meminfo(*text)) environment.memory = std::move(*memory);
    if (const auto text = sight.read("/proc/pressure/memory", 4096))
        if (auto pressure = sources::parse_pressure(*text))
            environment.pressure = std::move(*pressure);
    const std::string limits_file =
        pid ? "/proc/" + std::to_string(*pid) + "/limits" : std::string("/proc/self/limits");
    if (const auto text = sight.read(limits_file, 16U << 10U))
        if (auto limits = sources::parse_pid_limits(*text)) environment.limits = *limits;
    if (const auto text = sight.read("/proc/cpuinfo", 4U << 20U); text && !text->empty())
        environment.cpu = parse_cpuinfo(*text);
    const auto setting = [&](const char* name) {
        return number_in(sight, std::string("/proc/sys/") + name);
    };
    if (const auto mode = setting("vm/overcommit_memory"))
        environment.kernel.overcommit_memory = static_cast<int>(std::min<std::uint64_t>(*mode, 9));
    environment.kernel.max_map_count = setting("vm/max_map_count");
    environment.kernel.pid_max = setting("kernel/pid_max");
    environment.kernel.threads_max = setting("kernel/threads-max");
    if (const auto uid = sight.figure(Figure::uid))
        environment.uid = static_cast<std::uint32_t>(*uid);
    if (const auto cpus = sight.figure(Figure::affinity))
        environment.affinity = static_cast<int>(*cpus);
    if (const auto text = sight.read("/proc/self/status", 16U << 10U))
        for (std::string_view rest = *text; const auto line = next_line(rest);)
            if (line->starts_with("Cpus_allowed_list:"))
                environment.allowed_processors = std::string(trim(line->substr(18)));
    const auto any = [](std::string_view) { return true; };
    environment.rdma =
        !sight.list("/sys/class/infiniband", any).value_or(std::vector<std::string>()).empty();
    gather_cgroups(sight, environment);
}

}  // namespace holdfast::check
