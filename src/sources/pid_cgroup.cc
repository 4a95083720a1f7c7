#include "sources/pid_cgroup.h"

#include "base/read_file.h"
#include "base/text.h"

namespace holdfast::sources {

Result<std::vector<CgroupMembership>> parse_pid_cgroup(std::string_view text) {
    std::vector<CgroupMembership> memberships;
    while (const auto line = next_line(text)) {
        std::string_view rest = *line;
        const auto id = next_piece(rest, ':');
        // The path may hold colons, the controllers may not: "name=a:b" is refused by the kernel.
        const std::size_t colon = rest.find(':');
        if (!id || colon == std::string_view::npos) continue;
        const auto hierarchy = parse_number<int>(*id);
        std::string_view path = rest.substr(colon + 1);
        if (!hierarchy || *hierarchy < 0 || !path.starts_with('/')) continue;
        CgroupMembership membership;
        membership.hierarchy = *hierarchy;
        for (const std::string_view name : split(rest.substr(0, colon), ','))
            membership.controllers.emplace_back(name);
        constexpr std::string_view gone = " (deleted)";
        membership.deleted = path.ends_with(gone);
        if (membership.deleted) path.remove_suffix(gone.size());
        membership.path = std::string(path);
        memberships.push_back(std::move(membership));
    }
    if (memberships.empty()) return Error{"/proc/PID/cgroup names no cgroup", 0};
    return memberships;
}

Result<std::vector<CgroupMembership>> read_pid_cgroup(int process_dir) {
    const auto text = read_file_at(process_dir, "cgroup");
    if (!text) return text.error();
    return parse_pid_cgroup(*text);
}

}  // namespace holdfast::sources
