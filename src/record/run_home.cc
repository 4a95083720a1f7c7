#include "record/run_home.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/environment_variable.h"
#include "base/read_file.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace holdfast {
namespace {

constexpr uid_t root = 0;
constexpr uid_t nobody = 65534;  // stands for every user that a user namespace does not map

std::string read_or_nothing(const char* path) {
    Result<std::string> text = read_file(path);
    return text ? std::move(text).value() : std::string();
}

std::string_view field(const std::vector<std::string_view>& fields, std::size_t number) {
    return number < fields.size() ? fields[number] : std::string_view();
}

// In a rootless container the machine's root appears as nobody; outside, nobody is an ordinary
// user.
bool stands_for_strangers(const Accounts& accounts, uid_t uid) {
    if (uid != nobody || accounts.uid_map.empty()) return false;
    std::string_view rest = accounts.uid_map;
    while (auto line = next_line(rest)) {
        const auto word = [&] {
            const auto next = next_word(*line);
            return next ? parse_number<std::uint64_t>(*next) : std::nullopt;
        };
        const auto first = word();
        word();
        const auto count = word();
        if (first && count && uid >= *first && uid - *first < *count) return false;
    }
    return true;
}

// Why others could swap what lies in this directory; empty where they cannot.
std::string danger(const struct stat& info, uid_t uid, const Accounts& accounts) {
    if (info.st_uid != uid && info.st_uid != root && !stands_for_strangers(accounts, info.st_uid))
        return "belongs to user " + std::to_string(info.st_uid);
    if ((info.st_mode & S_ISVTX) != 0) return {};
    if ((info.st_mode & S_IWOTH) != 0) return "can be written to by every user";
    if ((info.st_mode & S_IWGRP) != 0 && info.st_gid != root &&
        !is_own_group(accounts, info.st_gid, uid))
        return "can be written to by group " + std::to_string(info.st_gid);
    return {};
}

// The path of an open directory, for a message; the kernel knows its current one.
std::string path_of(int directory, const std::string& otherwise) {
    char target[4096];
    const std::string link = "/proc/self/fd/" + std::to_string(directory);
    const ssize_t length = ::readlink(link.c_str(), target, sizeof(target));
    return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : otherwise;
}

}  // namespace

Accounts Accounts::of_machine() {
    return {read_or_nothing("/etc/passwd"), read_or_nothing("/etc/group"),
            read_or_nothing("/proc/self/uid_map")};
}

bool is_own_group(const Accounts& accounts, gid_t group, uid_t uid) {
    std::string_view own_name;
    bool is_primary = false;
    std::string_view users = accounts.passwd;
    while (const auto line = next_line(users)) {
        const auto fields = split(*line, ':');
        const bool own = parse_number<uid_t>(field(fields, 2)) == uid;
        if (own) own_name = field(fields, 0);
        if (parse_number<gid_t>(field(fields, 3)) != group) continue;
        if (!own) return false;
        is_primary = true;
    }
    bool is_listed = false;
    std::string_view groups = accounts.group;
    while (const auto line = next_line(groups)) {
        const auto fields = split(*line, ':');
        if (parse_number<gid_t>(field(fields, 2)) != group) continue;
        is_listed = true;
        for (const std::string_view member : split(field(fields, 3), ','))
            if (!member.empty() && member != own_name) return false;
    }
    // Only a directory service knows this group, so it may have any members.
    return (is_listed && is_primary) || group == uid;
}

Status check_trusted(int directory, const std::string& path, uid_t uid, const Accounts& accounts) {
    constexpr int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    UniqueFd at(::openat(directory, ".", flags));
    if (!at) return Error::from_errno("cannot examine " + path);
    struct stat info {};
    if (::fstat(at.get(), &info) != 0) return Error::from_errno("cannot examine " + path);
    for (;;) {
        if (const std::string why = danger(info, uid, accounts); !why.empty()) {
            const std::string place = path_of(at.get(), path);
            return Error{path + " is not safe to keep runs in: " +
                             (place == path ? std::string("it") : place) + " " + why,
                         EPERM};
        }
        UniqueFd above(::openat(at.get(), "..", flags));
        struct stat parent {};
        if (!above || ::fstat(above.get(), &parent) != 0) return Done{};  // nobody can get there
        if (parent.st_dev == info.st_dev && parent.st_ino == info.st_ino) return Done{};
        at = std::move(above);
        info = parent;
    }
}

Status check_own(int directory, const std::string& path, uid_t uid) {
    struct stat info {};
    if (::fstat(directory, &info) != 0) return Error::from_errno("cannot examine " + path);
    if (info.st_uid != uid)
        return Error{path + " belongs to user " + std::to_string(info.st_uid), EPERM};
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return Error{path + " can be written to by other users", EPERM};
    return Done{};
}

namespace {

constexpr Bytes least_free = Bytes::mib(4);  // twice what a run writes

// The XDG rules: a relative path in these variables is to be ignored.
bool usable(const std::optional<std::string>& value) {
    return value && !value->empty() && value->front() == '/';
}

Status make_parents(const std::string& path) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
        const std::string parent = path.substr(0, at);
        if (::mkdir(parent.c_str(), 0700) != 0 && errno != EEXIST)
            return Error::from_errno("cannot create " + parent);
    }
    return Done{};
}

// Somebody may have put a link, a file or a directory of theirs where ours would be.
Status check_private(int fd, const std::string& path, uid_t uid) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return Error::from_errno("cannot examine " + path);
    if (info.st_uid != uid)
        return Error{path + " belongs to user " + std::to_string(info.st_uid), EPERM};
    if ((info.st_mode & 077U) != 0) return Error{path + " is open to other users", EPERM};
    return Done{};
}

Status check_file_system(int fd, const std::string& path) {
    struct statfs info {};
    if (::fstatfs(fd, &info) != 0) return Error::from_errno("cannot examine " + path);
    if (unfit_for_mapping(static_cast<std::uint64_t>(info.f_type) & 0xffffffffU))
        return Error{path + " lies on a network or FUSE file system", ENOTSUP};
    const Bytes free{static_cast<std::uint64_t>(info.f_bavail) *
                     static_cast<std::uint64_t>(info.f_bsize)};
    if (free < least_free) return Error{path + " has only " + human(free) + " left", ENOSPC};
    return Done{};
}

}  // namespace

HomeFacts HomeFacts::of_process() {
    HomeFacts environment;
    environment.holdfast_home = environment_variable("HOLDFAST_HOME");
    environment.xdg_state_home = environment_variable("XDG_STATE_HOME");
    environment.home = environment_variable("HOME");
    environment.xdg_runtime_dir = environment_variable("XDG_RUNTIME_DIR");
    environment.uid = ::geteuid();
    return environment;
}

RunHome choose_home(const HomeFacts& environment) {
    RunHome home;
    const auto add = [&](std::string path, bool in_public_place) {
        home.candidates.push_back({std::move(path), in_public_place});
    };
    if (environment.holdfast_home && !environment.holdfast_home->empty())
        add(*environment.holdfast_home, false);
    else if (usable(environment.xdg_state_home))
        add(*environment.xdg_state_home + "/holdfast", false);
    else if (usable(environment.home))
        add(*environment.home + "/.local/state/holdfast", false);
    if (usable(environment.xdg_runtime_dir)) add(*environment.xdg_runtime_dir + "/holdfast", false);
    const std::string own = "/holdfast-" + std::to_string(environment.uid);
    add(environment.shared_memory + own, true);
    add(environment.temporary + own, true);
    return home;
}

std::vector<std::string> search_homes(const HomeFacts& environment) {
    std::vector<std::string> homes;
    for (const HomeCandidate& candidate : choose_home(environment).candidates) {
        const int follow = candidate.in_public_place ? O_NOFOLLOW : 0;
        const UniqueFd root(
            ::open(candidate.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow));
        if (!root) continue;
        if (candidate.in_public_place &&
            !check_private(root.get(), candidate.path, environment.uid))
            continue;
        if (std::find(homes.begin(), homes.end(), candidate.path) == homes.end())
            homes.push_back(candidate.path);
    }
    return homes;
}

bool unfit_for_mapping(std::uint64_t file_system_magic) {
    constexpr std::uint64_t unfit[] = {
        0x6969,      // NFS
        0x65735546,  // FUSE (sshfs, gcsfuse, s3fs, virtiofs)
        0x517b,      // SMB
        0xff534d42,  // CIFS
        0xfe534d42,  // SMB2
        0x01021997,  // 9P (WSL's Windows drives, gVisor)
        0x5346414f,  // AFS
        0x73757245,  // Coda
        0x00c36400,  // Ceph
        0x0bd00bd0,  // Lustre
        0x47504653,  // GPFS
        0x19830326,  // BeeGFS
        0xaad7aaea,  // PanFS
    };
    return std::find(std::begin(unfit), std::end(unfit), file_system_magic) != std::end(unfit);
}

Result<UniqueFd> open_home(const HomeCandidate& candidate, uid_t uid, const Accounts& accounts) {
    const std::string& path = candidate.path;
    if (!candidate.in_public_place)
        if (const Status made = make_parents(path); !made) return made.error();
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return Error::from_errno("cannot create " + path);
    const int follow = candidate.in_public_place ? O_NOFOLLOW : 0;
    const UniqueFd root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow));
    if (!root) return Error::from_errno("cannot open " + path);
    if (candidate.in_public_place)
        if (const Status ours = check_private(root.get(), path, uid); !ours) return ours.error();
    if (const Status safe = check_trusted(root.get(), path, uid, accounts); !safe)
        return safe.error();
    if (const Status fit = check_file_system(root.get(), path); !fit) return fit.error();

    if (::mkdirat(root.get(), "runs", 0700) != 0 && errno != EEXIST)
        return Error::from_errno("cannot create " + path + "/runs");
    UniqueFd runs(::openat(root.get(), "runs", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!runs) return Error::from_errno("cannot open " + path + "/runs");
    if (const Status ours = check_own(runs.get(), path + "/runs", uid); !ours) return ours.error();
    return runs;
}

}  // namespace holdfast
