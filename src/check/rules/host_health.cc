// The host's own hardware: memory errors, heat, alarms.
#include <numeric>

#include "base/format.h"
#include "check/rules/rules.h"

namespace holdfast::check::rules {
namespace {

std::uint64_t sum(const std::vector<Read<std::uint64_t>>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                           [](std::uint64_t total, const auto& one) { return total + one.value; });
}

}  // namespace

void ram_errors(const Environment& environment, CheckResult& judgement) {
    const HostHealth& health = environment.health;
    if (!health.edac_seen) return judgement.impossible("no EDAC counters");
    const std::uint64_t wrong = sum(health.uncorrected);
    const std::uint64_t mended = sum(health.corrected);
    if (wrong > 0)
        judgement.find(
            Severity::will_hurt, "ram-errors"_cause,
            formatted("The machine's memory has had {} uncorrectable errors since it "
                      "started.",
                      wrong),
            {{health.uncorrected.front().file, formatted("{}", wrong)}},
            {{"Have the module replaced.", "grep . /sys/devices/system/edac/mc/mc*/ue_count"}});
    else if (mended > 1000)
        judgement.find(Severity::note, "ram-errors"_cause,
                       formatted("The machine's memory has had {} errors that were corrected: a "
                                 "module is about to fail.",
                                 mended),
                       {{health.corrected.front().file, formatted("{}", mended)}},
                       {{"Have the module checked.",
                         "grep . /sys/devices/system/edac/mc/mc*/dimm*/dimm_ce_count"}});
}

void host_heat(const Environment& environment, CheckResult& judgement) {
    if (environment.health.zones.empty()) return judgement.impossible("no thermal zones");
    for (const ThermalZone& zone : environment.health.zones) {
        const auto limit = zone.hot ? zone.hot : zone.critical;
        if (!limit || *limit < 40 || zone.celsius < *limit - 5) continue;
        judgement.find(
            Severity::will_hurt, "uneven-steps"_cause,
            formatted("{} is at {} °C before any work; at {} °C the machine slows down or "
                      "switches off.",
                      zone.type, zone.celsius, *limit),
            {{zone.file, formatted("{} °C of {} °C", zone.celsius, *limit)}},
            {{"Cool it, and look at its fans.", "sensors"}});
    }
}

void host_alarms(const Environment& environment, CheckResult& judgement) {
    if (!environment.health.alarms_seen) return judgement.impossible("no hwmon alarms");
    for (const std::string& file : environment.health.alarms)
        judgement.find(Severity::will_hurt, "uneven-steps"_cause,
                       "A sensor of this machine reports a critical temperature.", {{file, "1"}},
                       {{"See which one.", "sensors"}});
}

}  // namespace holdfast::check::rules
