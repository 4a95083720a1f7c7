#include "diagnose/growth_words.h"

#include <algorithm>

#include "base/format.h"
#include "diagnose/words.h"

namespace holdfast {
namespace {

std::string amount(double bytes) {
    return human(Bytes{static_cast<std::uint64_t>(std::max(0.0, bytes))});
}

}  // namespace

std::string rate_of(const GrowthSeen& growth) {
    if (growth.per_step) return amount(*growth.per_step) + " a step";
    return amount(growth.per_minute) + " a minute";
}

std::string figures_of(const GrowthSeen& growth) {
    if (!growth.per_step)
        return formatted("+{} a minute over {} windows, {} in all", amount(growth.per_minute),
                         growth.windows, human(growth.in_all));
    return formatted("+{} (± {}) a step over {} steps, {} in all", amount(*growth.per_step),
                     amount(growth.per_step_error.value_or(0)), growth.steps.value_or(0),
                     human(growth.in_all));
}

}  // namespace holdfast
