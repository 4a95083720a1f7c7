#include "record/trusted_directory.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/read_file.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace holdfast {
namespace {

constexpr uid_t root = 0;
constexpr uid_t nobody = 65534;  // represents every user that a user namespace does not know

std::string read_or_nothing(const char* path) {
    Result<std::string> text = read_file(path);
    return text ? std::move(text).value() : std::string();
}

std::string_view field(const std::vector<std::string_view>& fields, std::size_t number) {
    return number < fields.size() ? fields[number] : std::string_view();
}

// In a rootless container the machine's root appears as nobody; outside, nobody is a user like
// any other.
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

// The path of an open directory, for a message; the kernel knows it best.
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
    // A group that only a directory service knows may have anybody in it.
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
        if (!above || ::fstat(above.get(), &parent) != 0)
            return Done{};  // out of everybody's reach
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

}  // namespace holdfast
