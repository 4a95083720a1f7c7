// HF707: a rank ended because another rank, or the process that hosts their store, went away.
#include "diagnose/death/lost_peer.h"
#include "diagnose/death/stop_signals.h"
#include "diagnose/facts/ends.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {

std::optional<Finding> peer_lost(const Autopsy& death) {
    // Ranks that are told to stop lose each other, too.
    if (!death.failed() || asked_to_stop(death) != nullptr) return std::nullopt;
    const std::optional<PeerWords> words = peer_words(death);
    if (!words) return std::nullopt;
    const ProcessEvidence* left = rank_that_left(death);
    // "or there was a network error": seeing who left decides.
    const bool decided = death.sure_of_exit() && (words->decided || left != nullptr);
    return finding_about(death, "peer-lost"_cause,
                         decided ? Confidence::certain : Confidence::likely,
                         facts::PeerLost{*words, left});
}

}  // namespace holdfast::rules
