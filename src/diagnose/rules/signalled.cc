// HF903 to HF906, HF909 and HF910: a signal stopped it; the sender is named if known.
#include <csignal>

#include "base/time.h"
#include "diagnose/death/stop_signals.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/ends.h"
#include "diagnose/oom/memory_held.h"
#include "diagnose/oom/oom_count.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/rules/rules.h"
#include "knowledge/schedulers.h"

namespace holdfast::rules {
namespace {

// How sure it is that the kernel's OOM killer did not send this SIGKILL; nothing when it may have.
std::optional<Confidence> not_the_oom_killer(const Autopsy& death) {
    if (death.oom_kill) return std::nullopt;
    if (log_clears(death)) return Confidence::certain;
    const HostEvidence& host = death.all.host;
    const bool quiet = host_count_known(host) && !host_count_moved(host);
    switch (death.oom_count.fit) {
    // The kernel counts every victim in its own cgroup, whichever limit it was: the machine's count
    // may have risen because of another cgroup.
    case OomCount::Fit::unmoved: return Confidence::certain;
    case OomCount::Fit::others: return Confidence::likely;
    // The machine's count includes the kills in all cgroups.
    case OomCount::Fit::unreadable: return quiet ? std::optional(Confidence::likely) : std::nullopt;
    default: return std::nullopt;
    }
}

std::optional<Finding> killed_outright(const Autopsy& death) {
    const std::optional<Confidence> confidence = not_the_oom_killer(death);
    if (!confidence) return std::nullopt;
    return finding_about(
        death, "killed"_cause,
        death.sure_of_exit() ? *confidence : at_most(*confidence, Confidence::likely),
        facts::KilledOutright{signal_before_end(death, SIGTERM)});
}

// Python turns a SIGINT into this exception; the process still dies of the signal.
const TracebackText* keyboard_interrupt(const Autopsy& death) {
    const TracebackText* traceback = death.exception;
    if (traceback == nullptr && death.by(SIGINT))
        traceback = death.decides && death.all.traceback ? &*death.all.traceback
                    : death.own_traceback                ? &*death.own_traceback
                                                         : nullptr;
    return traceback != nullptr && traceback->type == "KeyboardInterrupt" ? traceback : nullptr;
}

// The supervisor or the agent would have seen a SIGINT from somebody else.
bool raised_by_own_code(const TracebackText& traceback, const Autopsy& death) {
    for (const SignalSeen& signal : death.all.signals)
        if (signal.number == SIGINT && signal.sender_pid != death.pid) return false;
    return own_place(traceback.frames).has_value();
}

// Evidence in the program's end for a request to stop, whether or not the request was seen.
struct Request {
    const SignalSeen* seen = nullptr;
    Confidence confidence = Confidence::likely;
};

std::optional<Request> stopped_by_request(const Autopsy& death, int signal) {
    if (death.by(signal)) {
        const SignalSeen* seen = signal_before_end(death, signal, Nanos::max());
        const bool sure = seen != nullptr && death.sure_of_exit();
        return Request{seen, sure ? Confidence::certain : Confidence::likely};
    }
    if (!death.exit.code) return std::nullopt;
    // A program that saves its work and ends well on request ends soon; later, it may have ended by
    // itself.
    constexpr Nanos soon{10'000'000'000};
    const SignalSeen* seen = signal_before_end(death, signal, *death.exit.code == 0 ? soon : grace);
    if (seen == nullptr) return std::nullopt;
    return Request{seen,
                   *death.exit.code == 128 + signal ? Confidence::certain : Confidence::likely};
}

std::optional<Finding> terminated(const Autopsy& death) {
    const std::optional<Request> request = stopped_by_request(death, SIGTERM);
    if (!request) return std::nullopt;
    // timeout(1) exits with 124 if it ended the program.
    const ProcessEvidence* command =
        death.all.processes.empty() ? nullptr : &death.all.processes.front();
    const bool timed_out =
        command != nullptr && command->name == "timeout" && death.all.exit.code == 124;
    return finding_about(death, "killed"_cause,
                         timed_out ? Confidence::certain : request->confidence,
                         facts::Terminated{request->seen, timed_out});
}

// A scheduler stops a job at the end of its time, and some seconds before.
bool time_is_up(const Autopsy& death) {
    constexpr Nanos near_end{90'000'000'000};
    const std::optional<RunTime> ends = death.all.scheduler.ends_at;
    return ends && death.time && *death.time >= earlier(*ends, near_end);
}

// A SIGTERM whose sender is a launcher, and the end that it led to.
struct Stopped {
    facts::StoppedByLauncher facts;
    Confidence confidence = Confidence::likely;
};

std::optional<Stopped> stopped_by_its_launcher(const Autopsy& death) {
    const bool killed = death.by(SIGKILL);
    if (killed && !not_the_oom_killer(death)) return std::nullopt;
    const std::optional<Request> request =
        killed ? std::optional(Request{signal_before_end(death, SIGTERM)})
               : stopped_by_request(death, SIGTERM);
    if (!request || request->seen == nullptr) return std::nullopt;
    const std::string_view launcher = launcher_of(death.all, *request->seen);
    if (launcher.empty()) return std::nullopt;
    Stopped stopped{{request->seen, launcher, killed}, request->confidence};
    if (scheduler_called(launcher) == nullptr) return stopped;
    // A scheduler also stops a job whose time is up, and one that is pre-empted or cancelled.
    // Without the job's end time nothing tells these apart.
    if (!death.all.scheduler.ends_at || time_is_up(death)) return std::nullopt;
    stopped.confidence = Confidence::likely;
    return stopped;
}

// For signals without a rule, only the name is known.
std::optional<Finding> other_signal(const Autopsy& death) {
    for (const int known : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGBUS, SIGILL, SIGFPE,
                            SIGABRT, SIGXCPU, SIGXFSZ})
        if (death.by(known)) return std::nullopt;
    const int number = *death.exit.signal;
    const SignalSeen* seen = signal_before_end(death, number);
    return finding_about(death, "killed"_cause,
                         seen != nullptr ? Confidence::certain : Confidence::unknown,
                         facts::OtherSignal{seen});
}

// `kill -SEGV`: the exit status of a fault that never happened.
std::optional<Finding> sent_fault(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    if (crash == nullptr || !was_sent(*crash)) return std::nullopt;
    SignalSeen sent;
    sent.number = crash->signal;
    sent.sender_pid = crash->sender_pid;
    sent.sender_uid = crash->sender_uid;
    if (crash->sender_pid == crash->pid) sent.sender = "itself";
    return finding_about(death, "killed"_cause,
                         death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                         facts::SentFault{sent});
}

}  // namespace

std::optional<Finding> killed(const Autopsy& death) {
    if (stopped_by_its_launcher(death)) return std::nullopt;
    if (death.by(SIGKILL)) return killed_outright(death);
    if (std::optional<Finding> finding = sent_fault(death)) return finding;
    if (std::optional<Finding> finding = terminated(death)) return finding;
    return death.exit.signal ? other_signal(death) : std::nullopt;
}

std::optional<Finding> interrupted(const Autopsy& death) {
    std::optional<Request> request = stopped_by_request(death, SIGINT);
    const TracebackText* traceback = keyboard_interrupt(death);
    const bool keyboard = traceback != nullptr;
    // Python passes a KeyboardInterrupt on by sending SIGINT to itself.
    if (request && request->seen != nullptr && request->seen->sender_pid == death.pid)
        request->seen = nullptr;
    if (!request && !keyboard && death.exit.code != 130) return std::nullopt;
    if (!request) request = Request{nullptr, keyboard ? Confidence::certain : Confidence::likely};
    // A death by SIGINT is decisive, whoever sent the signal.
    if ((death.by(SIGINT) && death.sure_of_exit()) || (keyboard && request->seen != nullptr))
        request->confidence = Confidence::certain;
    const bool by_itself =
        keyboard && request->seen == nullptr && raised_by_own_code(*traceback, death);
    Finding finding = finding_about(death, "interrupted"_cause, request->confidence,
                                    facts::Interrupted{request->seen, by_itself});
    if (!finding.where && keyboard) finding.where = own_place(traceback->frames);
    return finding;
}

std::optional<Finding> hangup(const Autopsy& death) {
    std::optional<Request> request = stopped_by_request(death, SIGHUP);
    if (!request) return std::nullopt;
    if (death.by(SIGHUP) && death.sure_of_exit()) request->confidence = Confidence::certain;
    return finding_about(death, "hangup"_cause, request->confidence, facts::Hangup{request->seen});
}

std::optional<Finding> preempted(const Autopsy& death) {
    const Scheduler* scheduler = scheduler_of_kind(death.all.scheduler.kind);
    if (scheduler == nullptr || !death.failed()) return std::nullopt;
    const SignalSeen* asked = signal_before_end(death, SIGTERM);
    if (asked == nullptr && !death.by(SIGTERM)) return std::nullopt;
    if (const auto stopped = stopped_by_its_launcher(death);
        stopped && stopped->facts.launcher == scheduler->called)
        return std::nullopt;
    const bool by_scheduler =
        asked != nullptr && !scheduler->stopper.empty() && sent_by(*asked, scheduler->stopper);
    const bool in_time = time_is_up(death);
    if (!by_scheduler && !in_time) return std::nullopt;
    return finding_about(death, "preempted"_cause,
                         by_scheduler ? Confidence::certain : Confidence::likely,
                         facts::Preempted{asked, scheduler, in_time});
}

std::optional<Finding> stopped_by_launcher(const Autopsy& death) {
    const std::optional<Stopped> stopped = stopped_by_its_launcher(death);
    if (!stopped) return std::nullopt;
    return finding_about(death, "stopped-by-launcher"_cause, stopped->confidence, stopped->facts);
}

std::optional<Finding> unknown_kill(const Autopsy& death) {
    if (death.exit_known() && !death.by(SIGKILL)) return std::nullopt;
    if (death.by(SIGKILL) && (not_the_oom_killer(death) || death.oom_kill)) return std::nullopt;
    return finding_about(death, "unknown-kill"_cause, Confidence::unknown, facts::UnknownKill{});
}

}  // namespace holdfast::rules
