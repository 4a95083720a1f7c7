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
#include "diagnose/words/missing.h"
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
    // If the command is a shell, the program that it runs has the role "main", not the shell.
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

// How other processes of the tree died before the end of the run: by an OOM kill or a crash.
std::vector<Finding> other_deaths(const Autopsy& decided, std::optional<int> but) {
    std::vector<Finding> findings;
    for (const ProcessEvidence& process : decided.all.processes) {
        if (process.pid == decided.pid || process.pid == but) continue;
        const std::optional<Death> death = death_of(decided.all, process);
        if (!death || !death->exit.signal) continue;
        if (decided.time && death->time && *death->time > *decided.time) continue;
        const bool crashed = death->by(SIGSEGV) || death->by(SIGABRT) || death->by(SIGBUS) ||
                             death->by(SIGILL) || death->by(SIGFPE);
        if (!crashed && !death->by(SIGKILL)) continue;
        const std::shared_ptr<const Autopsy> autopsy = autopsy_of(*death);
        if (!crashed && !autopsy->oom_kill) continue;  // the parent ended its worker: no harm
        std::vector<Finding> about = findings_about(*autopsy);
        if (std::all_of(about.begin(), about.end(), is_explanation)) continue;
        findings.push_back(rank(std::move(about)).root);
        if (findings.size() == most_contributing) break;
    }
    return findings;
}

// Children that crashed between two looks left only a crash record.
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

// The other ranks end because of the one that failed first: they lose it, or the launcher stops
// them. One of each kind is told.
std::vector<Finding> ranks_that_followed(const Autopsy& decided, int judged) {
    std::vector<Finding> findings;
    for (const ProcessEvidence& process : decided.all.processes) {
        if (process.role != Role::rank || process.pid == decided.pid || process.pid == judged)
            continue;
        const std::optional<Death> death = death_of(decided.all, process);
        if (!death || !death->failed()) continue;
        std::vector<Finding> about = findings_about(*autopsy_of(*death));
        if (std::all_of(about.begin(), about.end(), is_explanation)) continue;
        const Finding root = rank(std::move(about)).root;
        if (root.cause != "peer-lost"_cause && root.cause != "stopped-by-launcher"_cause) continue;
        if (std::none_of(findings.begin(), findings.end(),
                         [&](const Finding& known) { return known.cause == root.cause; }))
            findings.push_back(root);
    }
    return findings;
}

// A child that crashed or was killed and took its parent along decided the run.
std::optional<FatalChild> child_to_blame(const Autopsy& death, const Ranked& own) {
    const auto only_tells_of_it = [](const Finding& finding) {
        return finding.cause == "exception"_cause || finding.cause == "exit-called"_cause ||
               finding.cause == "worker-oom"_cause || finding.cause == "shm-full"_cause ||
               finding.cause == "peer-lost"_cause;
    };
    // The parent's own root is the worker's end, or a leak that led to it.
    const bool told = only_tells_of_it(own.root) ||
                      (is_explanation(own.root) && own.end.cause == "worker-oom"_cause);
    return told ? death.fatal_child : std::nullopt;
}

// How recent the last place must be to count, for a death without warning.
constexpr Nanos a_moment{5'000'000'000};

bool is_recent(const Autopsy& death, RunTime time) {
    return !death.time || time >= earlier(*death.time, a_moment);
}

// The supervisor sees all threads about once a second; the agent sees only the main thread, when it
// allocates. For the main thread the later of the two counts.
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
    const std::shared_ptr<const Autopsy>& autopsy = child.death;
    judgement.process = deciding_process(*autopsy);
    if (autopsy->crash != nullptr) {
        judgement.python_stack.clear();
        add_stacks(judgement, *autopsy);
    }
    std::vector<Finding> about = findings_about(*autopsy);
    if (std::all_of(about.begin(), about.end(), is_explanation)) return;
    Ranked childs = rank(std::move(about));
    if (judgement.end.cause == "worker-oom"_cause || judgement.end.cause == "shm-full"_cause) {
        // The worker that was killed for memory may itself have leaked.
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

// The guard refused memory to a worker, which handed the error on: the worker shows what filled the
// limit.
void explain_refusal(Judgement& judgement, const Autopsy& death) {
    if (judgement.root.cause != "guard-refused"_cause || judgement.root.pid == death.pid) return;
    const ProcessEvidence* worker =
        judgement.root.pid ? death.all.process(*judgement.root.pid) : nullptr;
    if (worker == nullptr) return;
    // It lived on, and its own end says nothing: judge it as if the error had ended it.
    const std::shared_ptr<const Autopsy> refused = autopsy_of({.all = death.all,
                                                               .process = worker,
                                                               .pid = worker->pid,
                                                               .exit = death.exit,
                                                               .told = death.told,
                                                               .time = death.time,
                                                               .decides = false});
    std::optional<Finding> root = rules::host_leak(*refused);
    if (!root) root = rules::dataset_in_ram(*refused);
    if (!root) return;
    judgement.choice = {.kind = Choice::Kind::came_to_that,
                        .first = judgement.end.cause,
                        .second = root->cause,
                        .child = {}};
    // Only the order of the two errors says that the worker's refusal ended the program.
    root->confidence = at_most(root->confidence, judgement.end.confidence);
    judgement.root = std::move(*root);
    if (!judgement.root.pid) judgement.root.pid = worker->pid;
}

// Whether the root has this very reason already: it is reported once, even behind two ends.
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
    // A program that was asked to stop, or that called os._exit, may end with 0 without having
    // finished.
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
    explain_refusal(judgement, death);
    settle_stall(judgement, death);
    if (std::optional<Finding> uneven = rules::uneven_steps(death))
        judgement.contributing.push_back(std::move(*uneven));
    const std::optional<int> blamed = child ? std::optional(child->death->pid) : std::nullopt;
    std::vector<Finding> others = other_deaths(death, blamed);
    for (Finding& finding : unseen_crashes(death))
        if (finding.pid != blamed) others.push_back(std::move(finding));
    if (!finished)
        for (Finding& finding : ranks_that_followed(death, judgement.process.pid))
            others.push_back(std::move(finding));
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
