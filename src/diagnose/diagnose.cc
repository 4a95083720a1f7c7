#include "diagnose/diagnose.h"

#include <algorithm>
#include <csignal>

#include "base/format.h"
#include "base/time.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/death/worker_end.h"
#include "diagnose/facts/ends.h"
#include "diagnose/gaps.h"
#include "diagnose/growth/memory_lines.h"
#include "diagnose/judgement.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"
#include "diagnose/rules/rules.h"
#include "diagnose/stall/stalled_run.h"
#include "diagnose/text/python_dump.h"
#include "diagnose/words/verdict.h"

namespace holdfast {
namespace {

constexpr std::size_t most_contributing = 8;

bool still_running(const Evidence& evidence) {
    return !evidence.ended && (evidence.command_alive || !evidence.supervisor_lost);
}

DecidingProcess deciding_process(const Autopsy& death) {
    const ProcessEvidence* command =
        death.all.processes.empty() ? nullptr : &death.all.processes.front();
    // The program is what a shell runs, not the shell.
    const bool is_command =
        command != nullptr &&
        (death.process == command ||
         (death.decides && command->wrapper && death.process != nullptr &&
          death.process->role == Role::helper && death.process->parent == command->pid));
    const std::optional<int> rank = rank_that_raised(death);
    const std::string own = is_command ? "main" : role_name(death.process);
    DecidingProcess process{.pid = death.pid,
                            .role = rank ? formatted("rank {}", *rank) : own,
                            .command = death.process != nullptr ? death.process->command : ""};
    if (process.command.empty() && death.decides)
        for (const std::string& word : death.all.run.command)
            process.command += (process.command.empty() ? "" : " ") + word;
    return process;
}

// How other processes of the tree came to harm: an OOM kill or a crash, before the end of the run.
std::vector<Finding> other_deaths(const Autopsy& decided, std::optional<int> but) {
    std::vector<Finding> findings;
    for (const ProcessEvidence& process : decided.all.processes) {
        if (process.pid == decided.pid || process.pid == but) continue;
        const std::optional<Death> death = death_of(decided.all, process);
        if (!death || !death->exit.signal) continue;
        if (decided.time && death->time && *death->time > *decided.time) continue;
        const bool crashed = death->by(SIGSEGV) || death->by(SIGABRT) || death->by(SIGBUS) ||
                             death->by(SIGILL) || death->by(SIGFPE);
        if (!crashed && !oom_kill_of(*death)) continue;  // a parent that ends its workers, no harm
        std::vector<Finding> about = findings_about(*autopsy_of(*death));
        if (std::all_of(about.begin(), about.end(), is_explanation)) continue;
        findings.push_back(rank(std::move(about)).root);
        if (findings.size() == most_contributing) break;
    }
    return findings;
}

// Children that came, crashed and went between two looks left a record of the crash alone.
std::vector<Finding> unseen_crashes(const Autopsy& decided) {
    std::vector<Finding> findings;
    for (const CrashEvidence& crash : decided.all.crashes) {
        if (crash.survived || crash.pid == decided.pid) continue;
        if (decided.all.process(crash.pid) != nullptr) continue;
        if (decided.time && crash.time > *decided.time) continue;
        const Death death{.all = decided.all,
                          .process = nullptr,
                          .pid = crash.pid,
                          .exit = {.code = std::nullopt, .signal = crash.signal},
                          .told = Death::Told::text,
                          .time = crash.time,
                          .decides = false};
        std::vector<Finding> about = findings_about(*autopsy_of(death));
        if (std::all_of(about.begin(), about.end(), is_explanation)) continue;
        findings.push_back(rank(std::move(about)).root);
        if (findings.size() == most_contributing) break;
    }
    return findings;
}

// A child that crashed or was killed, and took its parent along, is the one that decided the run.
std::optional<FatalChild> child_to_blame(const Autopsy& death, const Ranked& own) {
    const auto only_tells_of_it = [](const Finding& finding) {
        return finding.cause == "exception"_cause || finding.cause == "exit-called"_cause ||
               finding.cause == "worker-oom"_cause || finding.cause == "shm-full"_cause;
    };
    // A leak that led to the worker's end is the worker's as well.
    const bool told = only_tells_of_it(own.root) ||
                      (is_explanation(own.root) && own.end.cause == "worker-oom"_cause);
    return told ? death.fatal_child : std::nullopt;
}

// Where the main thread was a moment before the end: for a death without warning.
constexpr Nanos a_moment{5'000'000'000};

bool is_recent(const Autopsy& death, RunTime time) {
    return !death.time || time >= earlier(*death.time, a_moment);
}

// The supervisor sees all threads, about once a second; the agent only the main one, as it
// allocates. For the main thread, the later of the two counts.
void add_last_place(Judgement& judgement, const Autopsy& death) {
    std::optional<RunTime> seen;
    for (const StacksEvidence& look : death.all.stacks) {
        if (look.pid != death.pid || !is_recent(death, look.time)) continue;
        judgement.python_stack = look.threads;
        seen = look.time;
    }
    const AgentEvidence* agent = death.agent;
    if (agent == nullptr || agent->place.empty() || !agent->place_time) return;
    if (!is_recent(death, *agent->place_time) || (seen && *seen >= *agent->place_time)) return;
    const auto main = std::find_if(judgement.python_stack.begin(), judgement.python_stack.end(),
                                   [](const auto& stack) { return stack.thread == "MainThread"; });
    if (main != judgement.python_stack.end())
        main->frames = agent->place;
    else
        judgement.python_stack.insert(judgement.python_stack.begin(), {"MainThread", agent->place});
}

void add_stacks(Judgement& judgement, const Autopsy& death) {
    if (const CrashEvidence* crash = death.crash) {
        judgement.native_stack = crash->native;
        judgement.python_stack = crash->python;
        if (!judgement.python_stack.empty()) return;
    }
    if (const TracebackText* traceback = death.exception) {
        judgement.python_stack.push_back({"MainThread", traceback->frames});
    } else if (death.exit.signal) {
        const std::optional<PythonDump> dump = death.dump;
        if (dump && !dump->frames.empty())
            judgement.python_stack.push_back({"current thread", dump->frames});
        else
            add_last_place(judgement, death);
    }
}

Verdict of_running(const Evidence& evidence) {
    Judgement judgement;
    judgement.outcome = Outcome::running;
    const std::shared_ptr<const Autopsy> autopsy = autopsy_of({.all = evidence,
                                                               .process = evidence.main(),
                                                               .pid = evidence.main_pid.value_or(0),
                                                               .exit = {},
                                                               .told = Death::Told::nobody,
                                                               .time = {},
                                                               .lives = true});
    const Autopsy& now = *autopsy;
    judgement.process = deciding_process(now);
    judgement.end =
        finding_about(now, "clean-exit"_cause, Confidence::unknown, facts::StillRunning{});
    judgement.end.where.reset();
    judgement.root = judgement.end;
    for (const Rule rule : {rules::host_leak, rules::gpu_leak, rules::nan_loss, rules::uneven_steps,
                            rules::swap_thrash})
        if (std::optional<Finding> seen = rule(now)) judgement.contributing.push_back(*seen);
    add_last_place(judgement, now);
    for (Finding& finding : other_deaths(now, std::nullopt))
        judgement.contributing.push_back(std::move(finding));
    settle_stall(judgement, now);
    Verdict verdict = in_words(judgement, now);
    verdict.missing = sentences(evidence.missing);
    return verdict;
}

// A child decided the run: its end is the answer, and the parent's own message is listed with it.
void blame(Judgement& judgement, const FatalChild& child, const Finding& parents) {
    const std::shared_ptr<const Autopsy> autopsy = autopsy_of(child.death);
    judgement.process = deciding_process(*autopsy);
    if (autopsy->crash != nullptr) {
        judgement.python_stack.clear();
        add_stacks(judgement, *autopsy);
    }
    std::vector<Finding> about = findings_about(*autopsy);
    if (std::all_of(about.begin(), about.end(), is_explanation)) return;
    Ranked childs = rank(std::move(about));
    if (judgement.end.cause == "worker-oom"_cause || judgement.end.cause == "shm-full"_cause) {
        // Who was killed for memory may be known to have kept it.
        if (judgement.root.cause == "worker-oom"_cause && is_explanation(childs.root)) {
            judgement.choice = {.kind = Choice::Kind::came_to_that,
                                .first = judgement.end.cause,
                                .second = childs.root.cause,
                                .child = {}};
            judgement.root = std::move(childs.root);
        }
        return;
    }
    if (!child.named) {
        childs.end.confidence = at_most(childs.end.confidence, Confidence::likely);
        childs.root.confidence = at_most(childs.root.confidence, Confidence::likely);
    }
    judgement.end = std::move(childs.end);
    judgement.root = std::move(childs.root);
    if (!child.line.empty())
        judgement.root.facts = facts_of(facts::ToldByParent{judgement.root.facts, child.line});
    if (!judgement.root.where) judgement.root.where = parents.where;
    judgement.choice = {.kind = Choice::Kind::child_first, .child = autopsy};
    judgement.contributing.insert(judgement.contributing.begin(), parents);
}

// The same reason behind two ends is reported once.
bool told(const Judgement& judgement, const Finding& finding) {
    return is_explanation(finding) && judgement.root.cause == finding.cause &&
           judgement.root.pid == finding.pid;
}

Verdict of_death(const Evidence& evidence) {
    Judgement judgement;
    const std::shared_ptr<const Autopsy> autopsy = autopsy_of(deciding_death(evidence));
    const Autopsy& death = *autopsy;
    const bool well = death.exit.code == 0 && !exit_left_a_cell(death);
    judgement.process = deciding_process(death);

    std::vector<Finding> findings = findings_about(death);
    // Every end has a finding. If a new kind of end has none, say so instead of reporting nothing.
    if (std::all_of(findings.begin(), findings.end(), is_explanation))
        findings.push_back(
            finding_about(death, "unknown-kill"_cause, Confidence::unknown, facts::NothingTells{}));
    Ranked ranked = rank(std::move(findings));
    // A program that was asked to stop, or left by os._exit, ends with 0 and has not finished.
    const bool finished =
        well && (ranked.root.cause == "clean-exit"_cause || ranked.root.cause == "shut-down"_cause);
    judgement.outcome = finished ? Outcome::finished : Outcome::died;
    const std::optional<FatalChild> child = child_to_blame(death, ranked);
    judgement.end = ranked.end;
    judgement.root = ranked.root;
    judgement.choice = ranked.choice;
    judgement.contributing = std::move(ranked.rest);
    add_stacks(judgement, death);
    if (child) blame(judgement, *child, ranked.end);
    settle_stall(judgement, death);
    if (std::optional<Finding> uneven = rules::uneven_steps(death))
        judgement.contributing.push_back(std::move(*uneven));
    const std::optional<int> blamed = child ? std::optional(child->death.pid) : std::nullopt;
    std::vector<Finding> others = other_deaths(death, blamed);
    for (Finding& finding : unseen_crashes(death))
        if (finding.pid != blamed) others.push_back(std::move(finding));
    for (Finding& finding : others)
        if (judgement.contributing.size() < most_contributing && !told(judgement, finding))
            judgement.contributing.push_back(std::move(finding));
    Verdict verdict = in_words(judgement, death);
    verdict.missing = sentences(gaps(death));
    return verdict;
}

Verdict verdict_of(const Evidence& evidence) {
    return still_running(evidence) ? of_running(evidence) : of_death(evidence);
}

}  // namespace

Verdict diagnose(const Evidence& evidence) {
    if (!has_memory_to_judge(evidence)) return verdict_of(evidence);
    Evidence judged = evidence;
    judge_memory(judged);
    return verdict_of(judged);
}

}  // namespace holdfast
