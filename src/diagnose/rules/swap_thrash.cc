// HF112: memory pressure had stalled it before the end.
#include "diagnose/facts/memory.h"
#include "diagnose/oom/own_pressure.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {

std::optional<Finding> swap_thrash(const Autopsy& death) {
    const PressureEvidence& pressure = death.all.pressure;
    if (!death.decides || !pressure.memory_full) return std::nullopt;
    const double faults = pressure.major_faults_per_second.value_or(0);
    const double swapped = pressure.swap_in_pages_per_second.value_or(0);
    // Stalled for more than a tenth of the time, and pages really came back from disk: writing out
    // a cache raises the pressure, too. A fast disk stalls less, so with 20 MB/s from swap for a
    // whole minute less is enough.
    const double stalled_enough = swapped >= 5000 ? 5 : 10;
    if (*pressure.memory_full < stalled_enough || (faults < 100 && swapped < 100) ||
        !had_to_wait_for_pages(death))
        return std::nullopt;
    const bool most_of_it = *pressure.memory_full >= 50 && (faults >= 500 || swapped >= 500);
    return finding_about(death, "swap-thrash"_cause,
                         most_of_it ? Confidence::certain : Confidence::likely,
                         facts::SwapThrash{});
}

}  // namespace holdfast::rules
