// What all findings about a stall have in common: the process, and the place in the user's code.
#pragma once

#include <memory>
#include <utility>

#include "diagnose/finding.h"
#include "diagnose/stall/standstill.h"

namespace holdfast {

Finding stall_finding(const Autopsy& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, std::shared_ptr<const Facts> facts);

template <class F>
Finding stall_finding(const Autopsy& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, F facts) {
    return stall_finding(death, stand, cause, confidence, facts_of(std::move(facts)));
}

}  // namespace holdfast
