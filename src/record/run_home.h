// Where runs are kept, whether that place can be trusted, and the fallbacks if it cannot be used.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

// Whether a directory may be trusted to hold a run: only its user and root can replace it.

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

// The values the choice depends on, injected. An empty variable counts as unset.
struct Environment {
    std::optional<std::string> holdfast_home, xdg_state_home, home, xdg_runtime_dir;
    uid_t uid = 0;
    std::string shared_memory = "/dev/shm";
    std::string temporary = "/tmp";

    static Environment of_process();
};

struct HomeCandidate {
    std::string path;
    // Lies in a directory anybody may write to, so somebody may have been there first: only a real
    // directory, ours, mode 0700, is taken.
    bool in_public_place = false;

    friend bool operator==(const HomeCandidate&, const HomeCandidate&) = default;
};

struct RunHome {
    std::vector<HomeCandidate> candidates;  // best first
};

// HOLDFAST_HOME, else XDG_STATE_HOME/holdfast, else HOME/.local/state/holdfast; then
// XDG_RUNTIME_DIR/holdfast, /dev/shm/holdfast-UID, /tmp/holdfast-UID. Touches no disk.
RunHome choose_home(const Environment& environment);

// Every root of those that exists and may be trusted: where `why` and `runs` look.
std::vector<std::string> search_homes(const Environment& environment);

// A file system where a shared mapping may stall, fault or not be shared: statfs f_type.
bool unfit_for_mapping(std::uint64_t file_system_magic);

// The root's runs/ directory, made where it is missing (mode 0700), or why the root cannot be used:
// not writable, not ours, others could swap what lies there, nearly full, unfit for mapping.
Result<UniqueFd> open_home(const HomeCandidate& candidate, uid_t uid,
                           const Accounts& accounts = Accounts::of_machine());

}  // namespace holdfast
