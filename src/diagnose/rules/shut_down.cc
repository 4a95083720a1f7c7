// HF908: the notebook server asked the kernel to end, and it did.
#include <csignal>

#include "diagnose/facts/ends.h"
#include "diagnose/rules/rules.h"
#include "diagnose/time_math.h"

namespace holdfast::rules {

std::optional<Finding> shut_down(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    if (agent == nullptr) return std::nullopt;
    constexpr Nanos within{60'000'000'000};
    const NoteEvidence* request = nullptr;
    for (const NoteEvidence& note : agent->notes) {
        if (note.kind != NoteEvidence::Kind::shutdown_request) continue;
        if (death.time && (note.time > *death.time || note.time < earlier(*death.time, within)))
            continue;
        request = &note;
    }
    if (request == nullptr) return std::nullopt;
    // A kernel that does not end in time is killed; one that crashes on its way has crashed.
    const bool killed =
        death.by(SIGTERM) || death.by(SIGINT) || (death.by(SIGKILL) && !death.oom_kill);
    if (death.exit.code != 0 && !killed) return std::nullopt;
    return finding_about(death, "shut-down"_cause,
                         death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                         facts::ShutDown{request->a == 1});
}

}  // namespace holdfast::rules
