#include "diagnose/finding.h"

#include <algorithm>

#include "diagnose/place.h"

namespace holdfast {

Finding finding_about(const Death& death, CauseId cause, Confidence confidence,
                      std::shared_ptr<const Facts> facts) {
    Finding finding{.cause = cause,
                    .confidence = confidence,
                    .where = where_it_died(death),
                    .pid = {},
                    .keeper = {},
                    .death = std::make_shared<const Death>(death),
                    .facts = std::move(facts)};
    if (death.pid > 0) finding.pid = death.pid;
    return finding;
}

Confidence at_most(Confidence confidence, Confidence bound) { return std::min(confidence, bound); }

}  // namespace holdfast
