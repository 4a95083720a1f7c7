#include "check/rules/ulimit.h"

#include <string>

#include "base/format.h"

namespace holdfast::check::rules {

Fix raised(const Environment& environment, const sources::Limit& limit, const Ulimit& which,
           std::optional<std::uint64_t> wanted) {
    const auto text = [&](std::uint64_t unit) {
        return wanted ? std::to_string(*wanted / unit) : std::string("unlimited");
    };
    const bool within = !limit.hard || (wanted && *wanted <= *limit.hard);
    if (within || environment.uid == 0U)
        return {wanted ? "Raise it." : "Lift it.",
                formatted("ulimit -{} {}", which.flag, text(which.unit))};
    return {
        "The hard limit forbids it, so an administrator must raise it; this raises it for the "
        "current shell.",
        formatted("sudo prlimit --pid $$ --{}={}", which.resource, text(1))};
}

}  // namespace holdfast::check::rules
