#include "diagnose/death/stop_signals.h"

#include <csignal>

#include "base/format.h"
#include "base/time.h"
#include "diagnose/death/witnesses.h"
#include "knowledge/launchers.h"

namespace holdfast {

const SignalSeen* signal_before_end(const Death& death, int number, Nanos within) {
    const AgentEvidence* agent = death.decides ? nullptr : agent_of(death);
    if (!death.decides && agent == nullptr) return nullptr;
    const SignalSeen* last = nullptr;
    for (const SignalSeen& signal : agent != nullptr ? agent->signals : death.all.signals) {
        if (signal.number != number) continue;
        if (death.time && (signal.time > *death.time || signal.time < earlier(*death.time, within)))
            continue;
        last = &signal;
    }
    return last;
}

const SignalSeen* asked_to_stop(const Death& death) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        if (const SignalSeen* signal = signal_before_end(death, number)) return signal;
    return nullptr;
}

bool sent_by(const SignalSeen& signal, std::string_view name) {
    return program_in(signal.sender) == name;
}

std::string_view launcher_of(const Evidence& evidence, const SignalSeen& signal) {
    const ProcessEvidence* sender =
        signal.sender_pid ? evidence.process(*signal.sender_pid) : nullptr;
    return launcher_in(sender != nullptr ? sender->command : signal.sender);
}

}  // namespace holdfast
