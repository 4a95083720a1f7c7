// HF908: the notebook server asked the kernel to end, and it did.
#include <csignal>

#include "diagnose/facts/ends.h"
#include "diagnose/rules/rules.h"
#include "diagnose/shutdown_request.h"

namespace holdfast::rules {

std::optional<Finding> shut_down(const Autopsy& death) {
    const NoteEvidence* request = shutdown_request(death);
    if (request == nullptr) return std::nullopt;
    // A kernel that does not end in time is killed. One that crashes while shutting down has
    // crashed.
    const bool killed =
        death.by(SIGTERM) || death.by(SIGINT) || (death.by(SIGKILL) && !death.oom_kill);
    if (death.exit.code != 0 && !killed && !gave_up_at_shutdown(death)) return std::nullopt;
    return finding_about(death, "shut-down"_cause,
                         death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                         facts::ShutDown{request->a == 1});
}

}  // namespace holdfast::rules
