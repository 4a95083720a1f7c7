// Causes that a message decides: it must be the last message, and the death must fit it.
#include <algorithm>
#include <csignal>
#include <string_view>

#include "diagnose/facts/exceptions.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/last_text.h"
#include "knowledge/telling_lines.h"

namespace holdfast::rules {
namespace {

using Ends = TellingLine::Ends;

bool fits(const Autopsy& death, const Said& said, Ends ends) {
    const bool exception = exception_decided_exit(death);
    if (ends == Ends::by_exception) return exception;
    if (ends == Ends::in_any_way) return said.final;
    const bool abort = death.by(SIGABRT) && said.final;
    if (ends == Ends::by_abort) return abort;
    if (ends == Ends::either) return exception || abort;
    return exception || abort || (death.exit.code && said.final);
}

// The allocator that printed this message was really loaded, in addition to glibc's.
bool preloaded(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    return crash != nullptr &&
           std::any_of(crash->runtimes.begin(), crash->runtimes.end(),
                       [](const std::string& name) { return name.starts_with("libtcmalloc"); });
}

}  // namespace

std::optional<Finding> telling_text(const Autopsy& death) {
    for (const TellingLine& telling : telling_lines()) {
        const std::optional<Said> said = said_last(death, {telling.text});
        if (!said || said->line.find(telling.also) == std::string::npos ||
            !fits(death, *said, telling.ends))
            continue;
        const std::optional<CauseId> cause = CauseId::find(telling.cause);
        if (!cause) continue;  // a unit test reports causes that are unknown
        const bool decided =
            death.sure_of_exit() && (*cause != "allocator-clash"_cause || preloaded(death));
        return finding_about(death, *cause, decided ? Confidence::certain : Confidence::likely,
                             facts::Telling{*said, telling.fix, telling.code});
    }
    return std::nullopt;
}

}  // namespace holdfast::rules
