// HF707 and HF901 to HF910 in words: it finished, an exception ended it, or somebody stopped it.
#include <csignal>

#include "base/format.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/ends.h"
#include "diagnose/oom/memory_held.h"
#include "diagnose/text/last_text.h"
#include "diagnose/words/account.h"
#include "diagnose/words/oom.h"
#include "diagnose/words/phrases.h"
#include "knowledge/schedulers.h"

namespace holdfast::facts {
namespace {

// "sys.exit(3)"
std::string spelled(const ExitCallEvidence& call) {
    switch (call.how) {
    case ExitCallEvidence::How::sys_exit: return formatted("sys.exit({})", call.status);
    case ExitCallEvidence::How::os_exit: return formatted("os._exit({})", call.status);
    case ExitCallEvidence::How::c_exit: break;
    }
    return formatted("exit({}) from native code", call.status);
}

void add_exit_call(Account& account, const ExitCallEvidence& call) {
    const std::optional<Where> where = own_place(call.frames);
    account.saw("exit called",
                where ? spelled(call) + " at " + short_place(*where) : spelled(call));
}

// What the OOM kill counts show, if it was not an OOM kill.
void add_counts(Account& account, const Autopsy& death) {
    const OomCount count = death.oom_count;
    if (const CgroupEvidence* cgroup = death.cgroup();
        cgroup != nullptr && count.fit != OomCount::Fit::unreadable) {
        const std::string figures = count.from == count.to
                                        ? formatted("oom_kill still {}", count.to)
                                        : moved("oom_kill", count.from, count.to);
        account.evidence.push_back({std::string(oom_counter_file(*cgroup)), figures});
    }
    if (log_clears(death))
        account.evidence.push_back({"kernel log", "read to the end; it names no kill of this pid"});
    if (count.fit == OomCount::Fit::others || count.fit == OomCount::Fit::unclear)
        account.evidence.push_back({"oom_kill", spelled(count.why)});
    const HostEvidence& host = death.all.host;
    if (host_count_moved(host))
        account.evidence.push_back(
            {"/proc/vmstat", moved("oom_kill", *host.oom_kill_first, *host.oom_kill_last) +
                                 ", which counts kills anywhere on the machine"});
    else if (host_count_known(host))
        account.evidence.push_back(
            {"/proc/vmstat", formatted("oom_kill still {}", *host.oom_kill_last)});
}

// Adds the sender of the signal, if one was seen.
Account stopped(const Autopsy& death, const SignalSeen* signal, std::string summary) {
    Account account = account_of(death, std::move(summary));
    if (signal != nullptr)
        account.saw("sender of " + signal_name(signal->number), sender_of(*signal));
    return account;
}

void add_exit_fix(Account& account, const Autopsy& death) {
    const int code = *death.exit.code;
    if (code == 127)
        account.advise(
            "A shell exits with 127 when a command does not exist: check its name "
            "and PATH.");
    else if (code == 126)
        account.advise(
            "A shell exits with 126 when a file cannot be executed: check its mode "
            "and first line.");
    else if (code > 128 && code <= 128 + 64 && !death.python())
        account.advise(formatted(
            "Exit status {} usually means that something it started was ended by {}: look there.",
            code, signal_name(code - 128)));
    else if (death.python())
        account.advise("Look for sys.exit, exit or os._exit with this status.",
                       formatted("grep -rnE '(exit|_exit)\\(' --include='*.py' ."));
}

}  // namespace

void tell(const CleanExit&, const Autopsy& death, Account& account) {
    account = account_of(death, formatted("{} finished.", who(death)));
    if (const ExitCallEvidence* call = death.exit_call) add_exit_call(account, *call);
}

void tell(const UncaughtException& facts, const Autopsy& death, Account& account) {
    if (facts.source.empty()) {
        account =
            account_of(death, formatted("{} ended with exit status 1, as Python does after an "
                                        "exception nobody caught; the message was not kept.",
                                        who(death)));
        return;
    }
    account = account_of(death, formatted("{} ended with an exception nobody caught: {}",
                                          who(death), shortened(facts.line)));
    account.saw(facts.source, shortened(facts.line));
}

void tell(const ExitCalled&, const Autopsy& death, Account& account) {
    const ExitCallEvidence* call = death.exit_call;
    const bool words_seen = call != nullptr || (death.decides && death.all.stderr_seen);
    account = account_of(
        death, formatted("{} ended itself with exit status {}{}.", who(death), *death.exit.code,
                         words_seen ? "" : "; whether an exception came before is not known"));
    if (const TracebackText* traceback = death.exception)
        account.saw("stderr",
                    "printed earlier, and caught: " + shortened(exception_line(*traceback)));
    else if (words_seen && death.decides)
        if (const auto lines = last_lines(death.all.stderr_tail, 1); !lines.empty())
            account.saw("stderr, last line", shortened(lines.front()));
    if (call != nullptr)
        add_exit_call(account, *call);
    else
        add_exit_fix(account, death);
}

void tell(const ShutDown& facts, const Autopsy& death, Account& account) {
    account = account_of(death, formatted("The notebook server asked {} to {}.", who(death),
                                          facts.restart ? "end, in order to restart it" : "end"));
    account.saw("shutdown_request", facts.restart ? "restart" : "no restart");
}

void tell(const KilledOutright& facts, const Autopsy& death, Account& account) {
    const SignalSeen* before = facts.asked_before;
    const std::string story =
        before != nullptr
            ? formatted("{} was asked to stop (SIGTERM) by {}, and then killed with SIGKILL",
                        who(death), sender_of(*before))
            : formatted("{} was killed with SIGKILL by somebody", who(death));
    account = account_of(death, story + "; the kernel's OOM killer did not do it.");
    add_counts(account, death);
    if (before != nullptr) account.saw("sender of SIGTERM", sender_of(*before));
}

void tell(const Terminated& facts, const Autopsy& death, Account& account) {
    std::string sender = "a sender that was not seen";
    if (facts.timed_out) sender = short_command(death.all.processes.front().command);
    if (facts.signal != nullptr) sender = sender_of(*facts.signal);
    account = stopped(death, facts.signal,
                      formatted("{} was asked to stop (SIGTERM) by {}.", who(death), sender));
    if (facts.timed_out) account.saw("exit status of timeout", "124");
}

void tell(const OtherSignal& facts, const Autopsy& death, Account& account) {
    const int number = *death.exit.signal;
    account = account_of(
        death,
        number == SIGPIPE
            ? formatted("{} was stopped by SIGPIPE: the reader of its output had gone.", who(death))
            : formatted("{} was stopped by {}{}.", who(death), signal_name(number),
                        facts.signal != nullptr ? ", sent by " + sender_of(*facts.signal) : ""));
}

void tell(const SentFault& facts, const Autopsy& death, Account& account) {
    account = stopped(death, &facts.sent,
                      formatted("{} was stopped by {}, sent by {}; there was no fault.", who(death),
                                signal_name(facts.sent.number), sender_of(facts.sent)));
}

void tell(const Interrupted& facts, const Autopsy& death, Account& account) {
    const std::string from =
        facts.signal != nullptr ? " from " + sender_of(*facts.signal) : std::string();
    account =
        stopped(death, facts.signal,
                facts.by_itself ? formatted("{} raised KeyboardInterrupt itself.", who(death))
                                : formatted("{} was interrupted (SIGINT{}).", who(death), from));
}

void tell(const Hangup& facts, const Autopsy& death, Account& account) {
    account = stopped(
        death, facts.signal,
        formatted("{} was stopped by SIGHUP: its terminal or session went away.", who(death)));
    account.advise("Start it so that it outlives the session.", "tmux new -s train");
}

void tell(const Preempted& facts, const Autopsy& death, Account& account) {
    const std::string& job = death.all.scheduler.job_id;
    account = stopped(
        death, facts.signal,
        formatted("{} ended {}{}: {}.", facts.by->called, who(death),
                  job.empty() ? "" : " of job " + job,
                  facts.in_time ? "its time was up" : "the job was pre-empted or cancelled"));
    if (facts.in_time) account.saw(facts.by->ends_at, "reached");
    account.advise(formatted("Ask for more time, and save a checkpoint when {} asks it to stop.",
                             facts.by->called),
                   facts.by->save_early);
}

void tell(const PeerLost& facts, const Autopsy& death, Account& account) {
    const std::string said = shortened(facts.words.line);
    const ProcessEvidence* left = facts.left;
    if (left == nullptr) {
        account = account_of(
            death,
            formatted(
                "{} ended because {} went away, and this record does not show why: {}", who(death),
                facts.words.of_store ? "the process that hosts the ranks' store" : "another rank",
                said));
        account.saw(facts.words.source, said);
        account.advise("Look at the end of the other ranks: the cause is theirs.",
                       "holdfast runs   # on each machine");
        return;
    }
    const std::string name = formatted("{} (pid {})", role_name(left), left->pid);
    const Death end = *death_of(death.all, *left);
    const std::string how = left->exit ? status_of(end).text : "unknown";
    account = account_of(death, formatted("{} ended because {} had gone, with exit status {}: {}",
                                          who(death), name, how, said));
    account.saw(facts.words.source, said);
    account.saw("exit status of " + role_name(left), how);
    if (const ExitCallEvidence* call = exit_call_of(end)) add_exit_call(account, *call);
    if (end.exit.code != 0) {
        account.advise(formatted("Look at {}: the cause is there.", role_name(left)));
        return;
    }
    account.advise(
        formatted("Give every rank the same number of steps: {} left while this one went on.",
                  name),
        "from torch.distributed.algorithms.join import Join\nwith Join([model]):");
    account.advise("Let no rank leave before all are done.",
                   "torch.distributed.barrier(); torch.distributed.destroy_process_group()");
}

void tell(const StoppedByLauncher& facts, const Autopsy& death, Account& account) {
    const Scheduler* scheduler = scheduler_called(facts.launcher);
    account = stopped(
        death, facts.signal,
        formatted("{} was stopped by {} (SIGTERM{}), which does that {}.", who(death),
                  facts.launcher, facts.killed ? ", then SIGKILL" : "",
                  scheduler != nullptr
                      ? "after another task has failed, or when the job is pre-empted or cancelled"
                      : "after another rank has failed, or when it is stopped itself"));
    if (scheduler != nullptr)
        account.advise("Look at the other tasks of the step: the first that failed has the cause.",
                       scheduler->look_at_tasks);
    else
        account.advise("Look at the other ranks: the first that failed has the cause.");
}

void tell(const UnknownKill&, const Autopsy& death, Account& account) {
    const std::string why = spelled(death.oom_count.why);
    const std::string what =
        death.by(SIGKILL)
            ? formatted("{} was killed with SIGKILL, and nothing shows who sent it", who(death))
            : formatted("{} is gone, and nobody saw how it ended", who(death));
    account = account_of(death, why.empty() ? what + "." : formatted("{}: {}.", what, why));
    add_counts(account, death);
    account.advise("Look in the kernel log around that time.",
                   "journalctl -k | grep -i -E 'oom|killed process'");
}

void tell(const NothingTells&, const Autopsy& death, Account& account) {
    account = account_of(death, formatted("Nothing shows why {} ended.", who(death)));
}

void tell(const StillRunning&, const Autopsy&, Account& account) {
    account.summary = "It is still running; nothing has ended it.";
}

void tell(const ToldByParent& facts, const Autopsy& death, Account& account) {
    facts.of_child->say(death, account);
    account.saw("stderr", shortened(facts.line));
}

}  // namespace holdfast::facts
