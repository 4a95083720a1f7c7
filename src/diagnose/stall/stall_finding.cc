#include "diagnose/stall/stall_finding.h"

#include "diagnose/autopsy.h"
#include "diagnose/death/witnesses.h"

namespace holdfast {

Finding stall_finding(const Autopsy& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, std::shared_ptr<const Facts> facts) {
    Finding finding{.cause = cause,
                    .confidence = confidence,
                    .where = own_place(stand.thread->frames),
                    .pid = stand.culprit->pid,
                    .keeper = {},
                    .death = death.shared_from_this(),
                    .facts = std::move(facts)};
    if (!finding.where && !stand.waiting->threads.empty())
        finding.where = own_place(stand.waiting->threads.front().frames);
    return finding;
}

}  // namespace holdfast
