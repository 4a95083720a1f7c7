// Ranks that ended because another one went away, and which one that was: in the order of what
// ended them, which is exact, while their ends are noticed at the next look.
#pragma once

#include <optional>
#include <string>

#include "diagnose/death/death.h"

namespace holdfast {

// The words of gloo, NCCL or the store about a peer that is gone, as this process's last ones.
struct PeerWords {
    std::string line, source;
    bool decided = false;   // only a connection that the peer ended has these words
    bool of_store = false;  // about the process that hosts the store
};
std::optional<PeerWords> peer_words(const Death& death);

// Its exception, its exit call or its crash; else its end.
std::optional<RunTime> began_to_end(const Death& death);

// The rank that had left when this one lost its peer: the first to go that had not lost a peer
// itself and that no launcher stopped. Nothing if no other rank is known to have gone.
const ProcessEvidence* rank_that_left(const Death& death);

// A rank (or a child of the launcher `parent`) with an end of its own, such as a crash, an
// exception or an exit status, that came no later than the one of the rank that lost its peer.
const ProcessEvidence* own_end_behind(const Death& lost, const Death& parent);

}  // namespace holdfast
