#include "supervise/local_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>

namespace holdfast {
namespace {

constexpr int most_links = 40;  // as in the kernel

bool lies_below(std::string_view path, std::string_view mount) {
    if (mount == "/") return true;
    return path.starts_with(mount) && (path.size() == mount.size() || path[mount.size()] == '/');
}

bool remote(const sources::Mount& mount) {
    static constexpr const char* types[] = {"nfs",       "cifs",     "smb",   "ceph", "lustre",
                                            "fuse",      "9p",       "afs",   "gpfs", "beegfs",
                                            "glusterfs", "virtiofs", "autofs"};
    return std::any_of(std::begin(types), std::end(types),
                       [&](const char* type) { return mount.type.starts_with(type); });
}

// Where a symbolic link leads; nothing if it is none.
std::optional<std::string> link_target(int process_dir, const std::string& path) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size =
        ::readlinkat(process_dir, ("root" + path).c_str(), target.data(), target.size());
    if (size <= 0 || static_cast<std::size_t>(size) == target.size()) return std::nullopt;
    return std::string(target.data(), static_cast<std::size_t>(size));
}

}  // namespace

bool on_network(const std::vector<sources::Mount>& mounts, std::string_view path) {
    const sources::Mount* best = nullptr;
    for (const sources::Mount& mount : mounts)
        if (lies_below(path, mount.point) &&
            (best == nullptr || mount.point.size() >= best->point.size()))
            best = &mount;
    return best == nullptr || remote(*best);
}

std::optional<std::string> local_path(int process_dir, const std::vector<sources::Mount>& mounts,
                                      std::string_view path) {
    std::string done;
    std::string rest(path);
    for (int links = 0; links <= most_links;) {
        rest.erase(0, std::min(rest.find_first_not_of('/'), rest.size()));
        if (rest.empty()) return done.empty() ? std::optional<std::string>("/") : done;
        const std::size_t end = std::min(rest.find('/'), rest.size());
        const std::string name = rest.substr(0, end);
        rest.erase(0, end);
        if (name == ".") continue;
        if (name == "..") {
            done.erase(std::min(done.rfind('/'), done.size()));
            continue;
        }
        const std::string next = done + "/" + name;
        // Asked before anything touches it.
        if (on_network(mounts, next)) return std::nullopt;
        const auto target = link_target(process_dir, next);
        if (!target) {
            done = next;
            continue;
        }
        ++links;
        if (target->front() == '/') done.clear();
        rest = *target + rest;
    }
    return std::nullopt;
}

}  // namespace holdfast
