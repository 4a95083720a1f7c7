// HF702, HF703 and HF705: no data, no step, no answer from a disk.

#include "diagnose/facts/exceptions.h"
#include "diagnose/facts/stalls.h"
#include "diagnose/rules/rules.h"
#include "diagnose/stall/standstill.h"
#include "diagnose/text/exception_text.h"
#include "stall/judge.h"
#include "stall/waits.h"

namespace holdfast::rules {

std::optional<Finding> loader_stall(const Autopsy& death) {
    const std::optional<Standstill> stand = death.stand;
    if (!stand || (stand->kind != StandstillKind::loader_stall &&
                   stand->kind != StandstillKind::unanswered_read))
        return std::nullopt;
    const bool stopped = stand->thread->wait == WaitKind::stopped;
    // A queue that never delivered anything may be empty for an unrelated reason.
    const bool never_delivered = stand->stall->steps == 0 &&
                                 stand->kind == StandstillKind::loader_stall &&
                                 !fetches_data(stand->waiting->threads.front());
    const bool decisive = stopped || (!never_delivered &&
                                      (stand->stall->inside_only || steps_overdue(*stand->stall) ||
                                       stand->stall->told.has_value()));
    return stall_finding(death, *stand, "loader-stall"_cause,
                         decisive ? Confidence::certain : Confidence::likely,
                         facts::LoaderStall{*stand});
}

// The loader's own time limit ended the wait.
std::optional<Finding> loader_timeout(const Autopsy& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, "loader-stall"_cause);
    if (!said) return std::nullopt;
    return finding_about(death, "loader-stall"_cause, sure_of(death, *said),
                         facts::LoaderTimeout{*said});
}

std::optional<Finding> no_progress(const Autopsy& death) {
    const std::optional<Standstill> stand = death.stand;
    if (!stand || stand->kind != StandstillKind::no_progress) return std::nullopt;
    return stall_finding(death, *stand, "no-progress"_cause,
                         stand->stall->told ? Confidence::certain : Confidence::likely,
                         facts::NoProgress{*stand});
}

std::optional<Finding> io_stall(const Autopsy& death) {
    const std::optional<Standstill> stand = death.stand;
    if (!stand || stand->kind != StandstillKind::io_stall) return std::nullopt;
    const bool named = !stand->thread->wait_channel.empty();
    return stall_finding(death, *stand, "io-stall"_cause,
                         named ? Confidence::certain : Confidence::likely, facts::IoStall{*stand});
}

}  // namespace holdfast::rules
