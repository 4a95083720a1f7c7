// HF806: the same work takes very different times, and the machine shows why.
#include "diagnose/facts/stalls.h"
#include "diagnose/oom/own_pressure.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {
namespace {

using Short = facts::UnevenSteps::Short;

// Which resource of the machine was short; nothing if none explains it.
std::optional<Short> shortage(const Autopsy& death) {
    const PressureEvidence& pressure = death.all.pressure;
    if (pressure.memory_full.value_or(0) >= 5 && had_to_wait_for_pages(death)) return Short::memory;
    if (pressure.io_full.value_or(0) >= 20) return Short::disk;
    if (pressure.cpu_some.value_or(0) >= 50 && may_have_waited_for_cpu(death)) return Short::cpu;
    return std::nullopt;
}

}  // namespace

std::optional<Finding> uneven_steps(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    if (!death.decides || agent == nullptr) return std::nullopt;
    const StepsEvidence& steps = agent->steps;
    constexpr Nanos worth_a_word{50'000'000};
    if (!steps.recent_median || !steps.recent_slowest || *steps.recent_slowest < worth_a_word ||
        *steps.recent_median <= Nanos{} || *steps.recent_slowest / 4 < *steps.recent_median)
        return std::nullopt;
    const std::optional<Short> what = shortage(death);
    if (!what) return std::nullopt;
    return finding_about(death, "uneven-steps"_cause, Confidence::likely,
                         facts::UnevenSteps{agent, *what});
}

}  // namespace holdfast::rules
