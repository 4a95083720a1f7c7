#include "diagnose/finding.h"

#include <algorithm>

#include "diagnose/autopsy.h"

namespace holdfast {

Finding finding_about(const Autopsy& death, CauseId cause, Confidence confidence,
                      std::shared_ptr<const Facts> facts) {
    Finding finding{.cause = cause,
                    .confidence = confidence,
                    .where = death.died_at,
                    .pid = {},
                    .keeper = {},
                    .death = death.shared_from_this(),
                    .facts = std::move(facts)};
    if (death.pid > 0) finding.pid = death.pid;
    return finding;
}

Confidence at_most(Confidence confidence, Confidence bound) { return std::min(confidence, bound); }

}  // namespace holdfast
