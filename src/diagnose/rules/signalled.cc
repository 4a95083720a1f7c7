// HF903 to HF906 and HF909: somebody or something stopped it with a signal, named where known.
#include <csignal>

#include "base/format.h"
#include "diagnose/inside.h"
#include "diagnose/last_text.h"
#include "diagnose/memory_held.h"
#include "diagnose/moment.h"
#include "diagnose/oom_count.h"
#include "diagnose/oom_evidence.h"
#include "diagnose/rules/rules.h"
#include "diagnose/signals.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

bool machine_count_known(const HostEvidence& host) {
    return host.oom_kill_first && host.oom_kill_last;
}

bool machine_count_moved(const HostEvidence& host) {
    return machine_count_known(host) && *host.oom_kill_last > *host.oom_kill_first;
}

// How sure it is that the kernel's OOM killer did not send this SIGKILL; nothing when it may have.
std::optional<Confidence> not_the_oom_killer(const Death& death) {
    if (oom_kill_of(death)) return std::nullopt;
    if (log_clears(death)) return Confidence::certain;
    const HostEvidence& host = death.all.host;
    const bool quiet = machine_count_known(host) && !machine_count_moved(host);
    switch (oom_count_of(death).fit) {
    // The kernel counts every victim in its own cgroup, whoever's limit it was: the machine's count
    // may have moved for somebody elsewhere.
    case OomCount::Fit::unmoved: return Confidence::certain;
    case OomCount::Fit::others: return Confidence::likely;
    // The machine's count takes in every kill in every cgroup.
    case OomCount::Fit::unreadable: return quiet ? std::optional(Confidence::likely) : std::nullopt;
    default: return std::nullopt;
    }
}

void add_counts(Finding& finding, const Death& death) {
    const OomCount count = oom_count_of(death);
    if (const CgroupEvidence* cgroup = death.cgroup();
        cgroup != nullptr && count.fit != OomCount::Fit::unreadable) {
        const std::string figures = count.from == count.to
                                        ? formatted("oom_kill still {}", count.to)
                                        : moved("oom_kill", count.from, count.to);
        finding.evidence.push_back({std::string(oom_counter_file(*cgroup)), figures});
    }
    if (log_clears(death))
        finding.evidence.push_back({"kernel log", "read to the end; it names no kill of this pid"});
    if (count.fit == OomCount::Fit::others || count.fit == OomCount::Fit::unclear)
        finding.evidence.push_back({"oom_kill", count.why});
    const HostEvidence& host = death.all.host;
    if (machine_count_moved(host))
        finding.evidence.push_back(
            {"/proc/vmstat", moved("oom_kill", *host.oom_kill_first, *host.oom_kill_last) +
                                 ", which counts kills anywhere on the machine"});
    else if (machine_count_known(host))
        finding.evidence.push_back(
            {"/proc/vmstat", formatted("oom_kill still {}", *host.oom_kill_last)});
}

std::optional<Finding> killed_outright(const Death& death) {
    const std::optional<Confidence> confidence = not_the_oom_killer(death);
    if (!confidence) return std::nullopt;
    const SignalSeen* before = signal_before_end(death, SIGTERM);
    const std::string story =
        before != nullptr
            ? formatted("{} was asked to stop (SIGTERM) by {}, and then killed with SIGKILL",
                        who(death), sender_of(*before))
            : formatted("{} was killed with SIGKILL by somebody", who(death));
    Finding finding =
        finding_about(death, "killed"_cause,
                      death.sure_of_exit() ? *confidence : at_most(*confidence, Confidence::likely),
                      story + "; the kernel's OOM killer did not do it.");
    add_counts(finding, death);
    if (before != nullptr) finding.evidence.push_back({"sender of SIGTERM", sender_of(*before)});
    return finding;
}

// The exception that a SIGINT becomes in Python; the process dies of the signal all the same.
const TracebackText* keyboard_interrupt(const Death& death) {
    const TracebackText* traceback = final_exception(death);
    if (traceback == nullptr && death.by(SIGINT))
        traceback = death.decides && death.all.traceback ? &*death.all.traceback
                    : death.own_traceback                ? &*death.own_traceback
                                                         : nullptr;
    return traceback != nullptr && traceback->type == "KeyboardInterrupt" ? traceback : nullptr;
}

// Somebody's SIGINT would have been seen by the supervisor or the agent.
bool raised_by_own_code(const TracebackText& traceback, const Death& death) {
    for (const SignalSeen& signal : death.all.signals)
        if (signal.number == SIGINT && signal.sender_pid != death.pid) return false;
    return own_place(traceback.frames).has_value();
}

// What the program's end says about a request to stop that was seen, or not.
struct Request {
    const SignalSeen* seen = nullptr;
    Confidence confidence = Confidence::likely;
};

std::optional<Request> stopped_by_request(const Death& death, int signal) {
    if (death.by(signal)) {
        const SignalSeen* seen = signal_before_end(death, signal, Nanos::max());
        const bool sure = seen != nullptr && death.sure_of_exit();
        return Request{seen, sure ? Confidence::certain : Confidence::likely};
    }
    if (!death.exit.code) return std::nullopt;
    // A program that saves and ends well after it was asked to stop ends soon; later, it may have
    // come to its own end.
    constexpr Nanos soon{10'000'000'000};
    const SignalSeen* seen = signal_before_end(death, signal, *death.exit.code == 0 ? soon : grace);
    if (seen == nullptr) return std::nullopt;
    return Request{seen,
                   *death.exit.code == 128 + signal ? Confidence::certain : Confidence::likely};
}

std::optional<Finding> terminated(const Death& death) {
    const std::optional<Request> request = stopped_by_request(death, SIGTERM);
    if (!request) return std::nullopt;
    // timeout(1) tells that it was the one.
    const ProcessEvidence* command =
        death.all.processes.empty() ? nullptr : &death.all.processes.front();
    const bool timed_out =
        command != nullptr && command->name == "timeout" && death.all.exit.code == 124;
    std::string sender = "a sender that was not seen";
    if (timed_out) sender = short_command(command->command);
    if (request->seen != nullptr) sender = sender_of(*request->seen);
    Finding finding =
        finding_about(death, "killed"_cause, timed_out ? Confidence::certain : request->confidence,
                      formatted("{} was asked to stop (SIGTERM) by {}.", who(death), sender));
    if (request->seen != nullptr) finding.evidence.push_back({"sender of SIGTERM", sender});
    if (timed_out) finding.evidence.push_back({"exit status of timeout", "124"});
    return finding;
}

// Signals that nobody has a rule for: the name is what is known.
std::optional<Finding> other_signal(const Death& death) {
    for (const int known : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGBUS, SIGILL, SIGFPE,
                            SIGABRT, SIGXCPU, SIGXFSZ})
        if (death.by(known)) return std::nullopt;
    const int number = *death.exit.signal;
    const SignalSeen* seen = signal_before_end(death, number);
    Finding finding = finding_about(
        death, "killed"_cause, seen != nullptr ? Confidence::certain : Confidence::unknown,
        number == SIGPIPE
            ? formatted("{} was stopped by SIGPIPE: the reader of its output had gone.", who(death))
            : formatted("{} was stopped by {}{}.", who(death), signal_name(number),
                        seen != nullptr ? ", sent by " + sender_of(*seen) : ""));
    return finding;
}

// `kill -SEGV`: the status of a fault without one.
std::optional<Finding> sent_fault(const Death& death) {
    const CrashEvidence* crash = crash_of(death);
    if (crash == nullptr || !was_sent(*crash)) return std::nullopt;
    SignalSeen sent;
    sent.number = crash->signal;
    sent.sender_pid = crash->sender_pid;
    sent.sender_uid = crash->sender_uid;
    if (crash->sender_pid == crash->pid) sent.sender = "itself";
    const std::string signal = signal_name(crash->signal);
    Finding finding = finding_about(
        death, "killed"_cause, death.sure_of_exit() ? Confidence::certain : Confidence::likely,
        formatted("{} was stopped by {}, which was sent by {}; no fault had happened.", who(death),
                  signal, sender_of(sent)));
    finding.evidence.push_back({"sender of " + signal, sender_of(sent)});
    return finding;
}

Finding stopped(const Death& death, CauseId cause, const Request& request, std::string summary) {
    Finding finding = finding_about(death, cause, request.confidence, std::move(summary));
    if (request.seen != nullptr)
        finding.evidence.push_back(
            {"sender of " + signal_name(request.seen->number), sender_of(*request.seen)});
    return finding;
}

}  // namespace

std::optional<Finding> killed(const Death& death) {
    if (death.by(SIGKILL)) return killed_outright(death);
    if (std::optional<Finding> finding = sent_fault(death)) return finding;
    if (std::optional<Finding> finding = terminated(death)) return finding;
    return death.exit.signal ? other_signal(death) : std::nullopt;
}

std::optional<Finding> interrupted(const Death& death) {
    std::optional<Request> request = stopped_by_request(death, SIGINT);
    const TracebackText* traceback = keyboard_interrupt(death);
    const bool keyboard = traceback != nullptr;
    // Python passes a KeyboardInterrupt on by sending SIGINT to itself.
    if (request && request->seen != nullptr && request->seen->sender_pid == death.pid)
        request->seen = nullptr;
    if (!request && !keyboard && death.exit.code != 130) return std::nullopt;
    if (!request) request = Request{nullptr, keyboard ? Confidence::certain : Confidence::likely};
    // SIGINT as the death itself is decisive, whoever sent it.
    if ((death.by(SIGINT) && death.sure_of_exit()) || (keyboard && request->seen != nullptr))
        request->confidence = Confidence::certain;
    const std::string from =
        request->seen != nullptr ? " from " + sender_of(*request->seen) : std::string();
    const bool by_itself =
        keyboard && request->seen == nullptr && raised_by_own_code(*traceback, death);
    Finding finding =
        stopped(death, "interrupted"_cause, *request,
                by_itself ? formatted("{} raised KeyboardInterrupt itself.", who(death))
                          : formatted("{} was interrupted (SIGINT{}).", who(death), from));
    if (!finding.where && keyboard) finding.where = own_place(traceback->frames);
    return finding;
}

std::optional<Finding> hangup(const Death& death) {
    std::optional<Request> request = stopped_by_request(death, SIGHUP);
    if (!request) return std::nullopt;
    if (death.by(SIGHUP) && death.sure_of_exit()) request->confidence = Confidence::certain;
    Finding finding = stopped(
        death, "hangup"_cause, *request,
        formatted("{} was stopped by SIGHUP: its terminal or session went away.", who(death)));
    finding.fixes.push_back({"Start it so that it outlives the session.", "tmux new -s train"});
    return finding;
}

std::optional<Finding> preempted(const Death& death) {
    if (death.all.scheduler.kind != "slurm" || !death.failed()) return std::nullopt;
    const SignalSeen* asked = signal_before_end(death, SIGTERM);
    if (asked == nullptr && !death.by(SIGTERM)) return std::nullopt;
    constexpr Nanos near_end{90'000'000'000};
    const std::optional<RunTime> ends = death.all.scheduler.ends_at;
    const bool by_scheduler = asked != nullptr && sent_by(*asked, "slurmstepd");
    const bool in_time = ends && death.time && *death.time >= earlier(*ends, near_end);
    if (!by_scheduler && !in_time) return std::nullopt;
    Finding finding = finding_about(
        death, "preempted"_cause, by_scheduler ? Confidence::certain : Confidence::likely,
        formatted("Slurm ended {}{}: {}.", who(death),
                  death.all.scheduler.job_id.empty() ? "" : " of job " + death.all.scheduler.job_id,
                  in_time ? "its time was up" : "the job was pre-empted or cancelled"));
    if (asked != nullptr) finding.evidence.push_back({"sender of SIGTERM", sender_of(*asked)});
    if (in_time) finding.evidence.push_back({"SLURM_JOB_END_TIME", "reached"});
    finding.fixes.push_back({"Ask for a longer time, and save a checkpoint when asked to stop.",
                             "#SBATCH --signal=B:TERM@120 --requeue"});
    return finding;
}

std::optional<Finding> unknown_kill(const Death& death) {
    if (death.exit_known() && !death.by(SIGKILL)) return std::nullopt;
    if (death.by(SIGKILL) && (not_the_oom_killer(death) || oom_kill_of(death))) return std::nullopt;
    const OomCount count = oom_count_of(death);
    const std::string what =
        death.by(SIGKILL)
            ? formatted("{} was killed with SIGKILL, and nothing tells by whom", who(death))
            : formatted("{} is gone, and nobody saw how it ended", who(death));
    Finding finding =
        finding_about(death, "unknown-kill"_cause, Confidence::unknown,
                      count.why.empty() ? what + "." : formatted("{}: {}.", what, count.why));
    add_counts(finding, death);
    finding.fixes.push_back({"Look for the kernel's word about it around that time.",
                             "journalctl -k | grep -i -E 'oom|killed process'"});
    return finding;
}

}  // namespace holdfast::rules
