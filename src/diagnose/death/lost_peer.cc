#include "diagnose/death/lost_peer.h"

#include <csignal>

#include "base/time.h"
#include "diagnose/death/stop_signals.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/text/exception_text.h"
#include "diagnose/text/last_text.h"

namespace holdfast {
namespace {

// What ended a process: its exception, its exit call or its crash. Nothing if it did not tell.
std::optional<RunTime> told_its_end(const Death& death) {
    std::optional<RunTime> told;
    const auto at = [&](RunTime time) {
        if (!told || time < *told) told = time;
    };
    if (const AgentEvidence* agent = agent_of(death)) {
        if (agent->exit) at(agent->exit->time);
        for (const ExceptionEvidence& thrown : agent->exceptions)
            if (thrown.in_main_thread) at(thrown.time);
    }
    if (const CrashEvidence* crash = crash_of(death)) at(crash->time);
    return told;
}

// When a process began to end, if that was not after the moment at which another one lost its peer.
std::optional<RunTime> gone_by(const Death& death, RunTime lost) {
    if (const std::optional<RunTime> told = told_its_end(death))
        return *told <= lost ? told : std::nullopt;
    // An end is noticed at the next look, and the one that lost it may be noticed first.
    constexpr Nanos same_moment{1'000'000'000};
    return death.time && *death.time <= later(lost, same_moment) ? death.time : std::nullopt;
}

bool was_stopped(const Death& death) {
    return death.by(SIGTERM) || death.exit.code == 128 + SIGTERM || asked_to_stop(death) != nullptr;
}

bool of_its_own(const Death& death) { return !was_stopped(death) && !peer_words(death); }

bool failed(const ExitStatus& exit) { return exit.signal || exit.code.value_or(0) != 0; }

// The first of these to go before `death` lost its peer.
template <class Fits>
const ProcessEvidence* first_gone(const Death& death, Fits fits) {
    const std::optional<RunTime> lost = began_to_end(death);
    if (!lost) return nullptr;
    const ProcessEvidence* first = nullptr;
    RunTime when{};
    for (const ProcessEvidence& process : death.all.processes) {
        if (process.pid == death.pid || !fits(process)) continue;
        const std::optional<Death> end = death_of(death.all, process);
        if (!end || !of_its_own(*end)) continue;
        const std::optional<RunTime> gone = gone_by(*end, *lost);
        if (!gone || (first != nullptr && *gone >= when)) continue;
        first = &process;
        when = *gone;
    }
    return first;
}

}  // namespace

std::optional<PeerWords> peer_words(const Death& death) {
    if (const std::optional<ExceptionSaid> said = exception_said(death, "peer-lost"_cause))
        return PeerWords{said->line(), said->source, said->words->confidence == Confidence::certain,
                         said->type.ends_with("DistNetworkError")};
    // NCCL's watchdog is a thread: its exception aborts the process.
    if (!death.by(SIGABRT)) return std::nullopt;
    const std::optional<Said> said =
        said_last(death, {"ncclRemoteError", "remote process exited or there was a network error"});
    if (!said || !said->final) return std::nullopt;
    return PeerWords{said->line, said->source, false, false};
}

std::optional<RunTime> began_to_end(const Death& death) {
    const std::optional<RunTime> told = told_its_end(death);
    return told ? told : death.time;
}

const ProcessEvidence* rank_that_left(const Death& death) {
    return first_gone(death, [&](const ProcessEvidence& process) {
        return process.role == Role::rank && process.rank &&
               (death.process == nullptr || process.rank != death.process->rank);
    });
}

const ProcessEvidence* own_end_behind(const Death& lost, const Death& parent) {
    return first_gone(lost, [&](const ProcessEvidence& process) {
        const bool sibling = lost.pid != parent.pid && process.parent == parent.pid;
        return process.pid != parent.pid && (process.role == Role::rank || sibling) &&
               process.exit && failed(*process.exit);
    });
}

}  // namespace holdfast
