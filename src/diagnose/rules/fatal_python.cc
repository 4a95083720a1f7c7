// HF310: the interpreter itself gave up.
#include <csignal>

#include "diagnose/facts/crash.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/python_dump.h"

namespace holdfast::rules {

std::optional<Finding> fatal_python_error(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    if (!death.failed() || (crash == nullptr && (!death.decides || !death.all.stderr_seen)))
        return std::nullopt;
    // The interpreter aborts; only errors at its start-up exit with 1.
    if (death.exit.signal ? !death.by(SIGABRT) : death.exit.code.value_or(1) != 1)
        return std::nullopt;
    // A notebook's kernel redirects stderr, so only the crash handler reads its last output.
    std::optional<PythonDump> dump;
    if (crash != nullptr) dump = python_dump_at_end(crash->unread);
    if (!dump && death.decides) dump = death.dump;
    // faulthandler's dump of a fatal signal begins with the same words.
    if (!dump || dump->names_signal) return std::nullopt;
    return finding_about(death, "fatal-python-error"_cause,
                         death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                         facts::FatalPython{dump->headline});
}

}  // namespace holdfast::rules
