#include "diagnose/stall_finding.h"

#include "diagnose/inside.h"

namespace holdfast {

Finding stall_finding(const Death& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, std::shared_ptr<const Facts> facts) {
    Finding finding{.cause = cause,
                    .confidence = confidence,
                    .where = own_place(stand.thread->frames),
                    .pid = stand.culprit->pid,
                    .keeper = {},
                    .death = std::make_shared<const Death>(death),
                    .facts = std::move(facts)};
    if (!finding.where && !stand.waiting->threads.empty())
        finding.where = own_place(stand.waiting->threads.front().frames);
    return finding;
}

}  // namespace holdfast
