// HF704: a rank did not join a collective, seen while the others wait or from their watchdog's
// message.
#include <csignal>
#include <initializer_list>
#include <string_view>

#include "diagnose/death/witnesses.h"
#include "diagnose/facts/stalls.h"
#include "diagnose/rules/rules.h"
#include "diagnose/stall/standstill.h"
#include "diagnose/text/last_text.h"
#include "stall/judge.h"

namespace holdfast::rules {
namespace {

// The messages of NCCL's watchdog, gloo and the store when a rank did not join.
std::optional<Said> gave_up_waiting(const Autopsy& death) {
    return said_last(death, {"Watchdog caught collective operation timeout", "Timed out waiting",
                             "failed to pass monitoredBarrier",
                             "Timed out initializing process group", "Timed out after"});
}

bool is_timeout(std::string_view text) {
    return text.find("Timed out") != std::string_view::npos ||
           text.find("failed to pass monitoredBarrier") != std::string_view::npos ||
           text.find("collective operation timeout") != std::string_view::npos;
}

bool speaks_of_ranks(std::string_view line) {
    for (const std::string_view word : {"collective", "monitoredBarrier", "process group", "gloo",
                                        "recv", "send", "clients", "wait timeout", "store"})
        if (line.find(word) != std::string_view::npos) return true;
    return false;
}

// Its launcher only says that a rank failed; the rank's own exception says why.
std::optional<Finding> told_by_a_rank(const Autopsy& death) {
    if (!death.decides) return std::nullopt;
    for (const AgentEvidence& agent : death.all.agents) {
        const ProcessEvidence* rank = death.all.process(agent.pid);
        if (rank == nullptr || rank->role != Role::rank || agent.pid == death.pid) continue;
        for (const ExceptionEvidence& thrown : agent.exceptions) {
            if (!thrown.in_main_thread || !is_timeout(thrown.message) ||
                !speaks_of_ranks(thrown.message))
                continue;
            Finding finding = finding_about(death, "collective-timeout"_cause, Confidence::certain,
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
    const std::optional<Said> said = gave_up_waiting(death);
    if (!said || !speaks_of_ranks(said->line)) return std::nullopt;
    const bool fits = exception_decided_exit(death) || (death.by(SIGABRT) && said->final);
    if (!fits) return std::nullopt;
    return finding_about(death, "collective-timeout"_cause,
                         death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                         facts::CollectiveTimeout{*said});
}

}  // namespace holdfast::rules
