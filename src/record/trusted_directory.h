// Whether a directory may be trusted to hold a run: only its user and root can replace it.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast {

// What decides who a number stands for, injected: texts of /etc/passwd, /etc/group and
// /proc/self/uid_map. What cannot be read is empty.
struct Accounts {
    std::string passwd, group, uid_map;

    static Accounts of_machine();
};

// Whether that user alone is in the group, as where every user has a group of their own.
bool is_own_group(const Accounts& accounts, gid_t group, uid_t uid);

// Examines the open directory and everything above it, each by its descriptor: it belongs to
// `uid` or to root, and others cannot write to it, or only under the sticky bit (/tmp). The error
// (EPERM) names the directory that is in the way.
Status check_trusted(int directory, const std::string& path, uid_t uid, const Accounts& accounts);

// The same for one directory that must be the user's own, with nobody else's hands in it.
Status check_own(int directory, const std::string& path, uid_t uid);

}  // namespace holdfast
