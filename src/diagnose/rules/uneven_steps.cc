// HF806: the same work takes very different times, and the machine shows why.
#include "base/format.h"
#include "diagnose/inside.h"
#include "diagnose/own_pressure.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

// What of the machine was short, in words; empty: nothing that would explain it.
std::string shortage(const Death& death) {
    const PressureEvidence& pressure = death.all.pressure;
    if (pressure.memory_full.value_or(0) >= 5 && had_to_wait_for_pages(death))
        return formatted("everything waited for memory {:.0f} % of the time",
                         *pressure.memory_full);
    if (pressure.io_full.value_or(0) >= 20)
        return formatted("everything waited for a disk {:.0f} % of the time", *pressure.io_full);
    if (pressure.cpu_some.value_or(0) >= 50 && may_have_waited_for_cpu(death))
        return formatted("somebody waited for a CPU {:.0f} % of the time", *pressure.cpu_some);
    return {};
}

}  // namespace

std::optional<Finding> uneven_steps(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    if (!death.decides || agent == nullptr) return std::nullopt;
    const StepsEvidence& steps = agent->steps;
    constexpr Nanos worth_a_word{50'000'000};
    if (!steps.recent_median || !steps.recent_slowest || *steps.recent_slowest < worth_a_word ||
        *steps.recent_median <= Nanos{} || *steps.recent_slowest / 4 < *steps.recent_median)
        return std::nullopt;
    const std::string why = shortage(death);
    if (why.empty()) return std::nullopt;
    Finding finding = finding_about(
        death, "uneven-steps"_cause, Confidence::likely,
        formatted("One step in ten takes {} or longer, where {} is usual; meanwhile {}.",
                  human(*steps.recent_slowest), human(*steps.recent_median), why));
    finding.evidence = {
        {"the last steps", formatted("middle {}, slowest tenth from {} on",
                                     human(*steps.recent_median), human(*steps.recent_slowest))},
        {"pressure of the last minute", why}};
    finding.fixes.push_back({"See who else uses the machine, and leave it a core.",
                             "top -o %CPU; cat /proc/pressure/cpu /proc/pressure/io"});
    return finding;
}

}  // namespace holdfast::rules
