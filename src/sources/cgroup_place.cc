#include "sources/cgroup_place.h"

#include <algorithm>

#include "base/read_file.h"
#include "base/text.h"

namespace holdfast::sources {

Result<std::vector<CgroupMembership>> parse_pid_cgroup(std::string_view text) {
    std::vector<CgroupMembership> memberships;
    while (const auto line = next_line(text)) {
        std::string_view rest = *line;
        const auto id = next_piece(rest, ':');
        // The path may contain colons, but the controllers may not: the kernel refuses "name=a:b".
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

namespace {

const CgroupMembership* membership_of(std::string_view controller,
                                      std::span<const CgroupMembership> memberships) {
    const CgroupMembership* unified = nullptr;
    for (const CgroupMembership& membership : memberships) {
        if (membership.hierarchy == 0) {
            unified = &membership;
            continue;
        }
        const auto& names = membership.controllers;
        if (std::find(names.begin(), names.end(), controller) != names.end()) return &membership;
    }
    // A controller is in only one hierarchy at a time: if v1 does not have it, it can only be in
    // v2.
    return unified;
}

// "/" and "" mean the same place.
std::string_view without_last_slash(std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    return path;
}

bool goes_up(std::string_view path) { return path == "/.." || path.starts_with("/../"); }

bool only_goes_up(std::string_view path) {
    while (goes_up(path)) path.remove_prefix(3);
    return path.empty();
}

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// Where `path` is below a mount of the hierarchy's part `root`. Both are relative to our cgroup
// namespace, so they may begin with "/..".
std::optional<CgroupPlace> below_mount(std::string_view root, std::string_view path) {
    CgroupPlace place;
    place.prefix = std::string(root);
    const bool inside = path.starts_with(root) &&
                        (path.size() == root.size() || path[root.size()] == '/' || root.empty());
    if (inside && !goes_up(path.substr(root.size()))) {
        place.below = std::string(path.substr(root.size()));
        return place;
    }
    // The path is outside our namespace, so what is mounted here is not above it.
    if (goes_up(path)) return std::nullopt;
    // The mount is older than the namespace: its root is above ours, under names that we cannot
    // know.
    place.view = goes_up(root) && only_goes_up(root) ? CgroupView::ancestor : CgroupView::stand_in;
    return place;
}

bool better(const CgroupPlace& a, const CgroupPlace& b) {
    if (a.view != b.view) return a.view < b.view;
    return a.prefix.size() < b.prefix.size();  // prefer the wider mount, which shows more ancestors
}

}  // namespace

std::string CgroupPlace::path() const {
    const std::string whole = prefix + below;
    return whole.empty() ? "/" : whole;
}

std::optional<CgroupPlace> CgroupPlace::parent() const {
    if (below.empty()) return std::nullopt;
    CgroupPlace above = *this;
    above.below = parent_of(below);
    return above;
}

std::optional<CgroupPlace> place_of(std::string_view controller,
                                    std::span<const CgroupMembership> memberships,
                                    std::span<const Mount> mounts, const DirectoryExists& exists) {
    const CgroupMembership* membership = membership_of(controller, memberships);
    if (membership == nullptr) return std::nullopt;
    const int version = membership->hierarchy == 0 ? 2 : 1;
    std::optional<CgroupPlace> best;
    for (const Mount& mount : mounts) {
        const bool fits = version == 2
                              ? mount.type == "cgroup2"
                              : mount.type == "cgroup" && mount.has_super_option(controller);
        if (!fits) continue;
        auto place =
            below_mount(without_last_slash(mount.root), without_last_slash(membership->path));
        if (!place) continue;
        place->version = version;
        place->mount = std::string(without_last_slash(mount.point));
        if (membership->deleted && !place->below.empty()) {
            place->below = parent_of(place->below);
            place->view = std::max(place->view, CgroupView::ancestor);
        }
        while (!place->below.empty() && !exists(place->directory())) {
            place->below = parent_of(place->below);
            place->view = std::max(place->view, CgroupView::ancestor);
        }
        if (!exists(place->directory())) continue;
        if (!best || better(*place, *best)) best = std::move(place);
    }
    return best;
}

}  // namespace holdfast::sources
