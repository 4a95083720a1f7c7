// Where runs are kept, and the fallbacks if that place cannot be used.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "record/trusted_directory.h"

namespace holdfast {

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
