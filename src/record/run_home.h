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

// What tells whom a uid or gid belongs to, injected: the texts of /etc/passwd, /etc/group and
// /proc/self/uid_map. Empty if unreadable.
struct Accounts {
    std::string passwd, group, uid_map;

    static Accounts of_machine();
};

// Whether the user is alone in the group, as on systems where every user has a group.
bool is_own_group(const Accounts& accounts, gid_t group, uid_t uid);

// Checks the open directory and every directory above it, each by its descriptor: it must belong to
// `uid` or root, and others must not be able to write to it, except under the sticky bit (/tmp).
// The error (EPERM) names the directory that fails.
Status check_trusted(int directory, const std::string& path, uid_t uid, const Accounts& accounts);

// The same for a single directory, which must be the user's own and writable by nobody else.
Status check_own(int directory, const std::string& path, uid_t uid);

// The values the choice depends on, injected. An empty variable counts as unset.
struct HomeFacts {
    std::optional<std::string> holdfast_home, xdg_state_home, home, xdg_runtime_dir;
    uid_t uid = 0;
    std::string shared_memory = "/dev/shm";
    std::string temporary = "/tmp";

    static HomeFacts of_process();
};

struct HomeCandidate {
    std::string path;
    // It is in a directory that anybody may write to, so somebody may have created it first: use
    // only a real directory that is ours and has mode 0700.
    bool in_public_place = false;

    friend bool operator==(const HomeCandidate&, const HomeCandidate&) = default;
};

struct RunHome {
    std::vector<HomeCandidate> candidates;  // best first
};

// HOLDFAST_HOME, else XDG_STATE_HOME/holdfast, else HOME/.local/state/holdfast; then
// XDG_RUNTIME_DIR/holdfast, /dev/shm/holdfast-UID, /tmp/holdfast-UID. Touches no disk.
RunHome choose_home(const HomeFacts& environment);

// Those of all roots that exist and may be trusted: where `why` and `runs` look.
std::vector<std::string> search_homes(const HomeFacts& environment);

// Whether a shared mapping may stall, fault or not be shared on this file system (statfs f_type).
bool unfit_for_mapping(std::uint64_t file_system_magic);

// The root's runs/ directory, created if missing (mode 0700). An error says why the root cannot be
// used: not writable, not ours, others could replace it, nearly full, or unfit for mapping.
Result<UniqueFd> open_home(const HomeCandidate& candidate, uid_t uid,
                           const Accounts& accounts = Accounts::of_machine());

}  // namespace holdfast
