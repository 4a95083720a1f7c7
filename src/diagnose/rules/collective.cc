// HF704: a rank did not join a collective, seen while the others wait or from their watchdog's
// message.
#include <csignal>
#include <utility>

#include "diagnose/death/witnesses.h"
#include "diagnose/facts/stalls.h"
#include "diagnose/rules/rules.h"
#include "diagnose/stall/standstill.h"
#include "diagnose/text/exception_text.h"
#include "diagnose/text/last_text.h"
#include "stall/judge.h"

namespace holdfast::rules {
namespace {

// What gave up waiting said, and how sure it is that it waited for other ranks.
struct GaveUp {
    Said said;
    Confidence confidence;
};

std::optional<GaveUp> gave_up_waiting(const Autopsy& death) {
    if (const auto said = exception_said(death, "collective-timeout"_cause))
        return GaveUp{{said->line(), true, said->source}, sure_of(death, *said)};
    // NCCL's watchdog is a thread: its exception aborts the process.
    if (!death.by(SIGABRT)) return std::nullopt;
    std::optional<Said> said = said_last(death, {"Watchdog caught collective operation timeout"});
    if (!said || !said->final) return std::nullopt;
    return GaveUp{std::move(*said),
                  death.sure_of_exit() ? Confidence::certain : Confidence::likely};
}

// Its launcher only says that a rank failed; the rank's own exception says why.
std::optional<Finding> told_by_a_rank(const Autopsy& death) {
    if (!death.decides) return std::nullopt;
    for (const AgentEvidence& agent : death.all.agents) {
        const ProcessEvidence* rank = death.all.process(agent.pid);
        if (rank == nullptr || rank->role != Role::rank || agent.pid == death.pid) continue;
        for (const ExceptionEvidence& thrown : agent.exceptions) {
            if (!thrown.in_main_thread) continue;
            const ExceptionWords* words = words_of(thrown, "collective-timeout"_cause);
            if (words == nullptr) continue;
            Finding finding = finding_about(death, "collective-timeout"_cause, words->confidence,
                                            facts::RankTimeout{rank, &thrown});
            finding.where = own_place(thrown.frames);
            finding.pid = agent.pid;
            return finding;
        }
    }
    return std::nullopt;
}

}  // namespace

// While they wait, or after somebody stopped them.
std::optional<Finding> collective_stall(const Autopsy& death) {
    const std::optional<Standstill> stand = death.stand;
    if (!stand || stand->kind != StandstillKind::collective) return std::nullopt;
    const bool absent = stand->culprit != stand->waiting;
    return stall_finding(death, *stand, "collective-timeout"_cause,
                         absent && (stand->stall->told || steps_overdue(*stand->stall))
                             ? Confidence::certain
                             : Confidence::likely,
                         facts::CollectiveStall{*stand});
}

// Found in the words of a rank that gave up waiting.
std::optional<Finding> collective_timeout(const Autopsy& death) {
    if (!death.failed()) return std::nullopt;
    if (std::optional<Finding> told = told_by_a_rank(death)) return told;
    const std::optional<GaveUp> gave_up = gave_up_waiting(death);
    if (!gave_up) return std::nullopt;
    return finding_about(death, "collective-timeout"_cause, gave_up->confidence,
                         facts::CollectiveTimeout{gave_up->said});
}

}  // namespace holdfast::rules
