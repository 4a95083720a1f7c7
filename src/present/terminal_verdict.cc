#include "present/terminal_verdict.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "present/headline.h"
#include "present/verdict_sections.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

std::string joined_command(const RunSummary& run) {
    std::string command;
    for (const std::string& argument : run.command)
        command.append(command.empty() ? "" : " ").append(argument);
    return command;
}

std::string how_it_ended(const ExitStatus& exit) {
    if (exit.signal) return signal_name(*exit.signal);
    if (exit.code) return formatted("exit status {}", *exit.code);
    return {};
}

// "2026-11-15 04:24:47 UTC"
std::string moment(Nanos wall) {
    std::string text = rfc3339(wall).substr(0, 19);
    if (text.size() == 19) text[10] = ' ';
    return text + " UTC";
}

void add_command(Page& page, const Verdict& verdict) {
    std::string command = verdict.process.command;
    if (command.empty()) command = joined_command(verdict.run);
    page.paragraph(command, {nullptr, 0, 2, 2});
}

std::vector<std::string> end_facts(const Verdict& verdict) {
    const RunSummary& run = verdict.run;
    std::string how = how_it_ended(verdict.exit);
    // A record may claim any times: do not subtract an impossible pair.
    if (run.ended_wall && run.started_wall >= Nanos{} && *run.ended_wall >= run.started_wall)
        how += (how.empty() ? "after " : " after ") + human(*run.ended_wall - run.started_wall);
    std::vector<std::string> facts{how};
    if (verdict.process.pid > 0)
        facts.push_back(verdict.process.role == "main"
                            ? formatted("pid {}", verdict.process.pid)
                            : formatted("{}, pid {}", verdict.process.role, verdict.process.pid));
    if (run.ended_wall) facts.push_back(moment(*run.ended_wall));
    if (!run.host.empty()) facts.push_back("on " + run.host);
    return facts;
}

// The memory curve of an idle machine says nothing about an exception.
bool memory_matters(const Verdict& verdict) {
    const auto of_memory = [](const Statement& finding) {
        return finding.cause->code.starts_with("HF1") || finding.cause->code.starts_with("HF2");
    };
    return of_memory(verdict.end) || of_memory(verdict.root) ||
           std::any_of(verdict.contributing.begin(), verdict.contributing.end(), of_memory);
}

std::string finished_or_ended(const Verdict& verdict, const Style& style) {
    Page page(style);
    const bool clean = verdict.end.cause == "clean-exit"_cause;
    add_banner(page, verdict.outcome,
               clean ? formatted("{} {}", verdict.end.cause->code, verdict.end.cause->slug)
                     : cause_tag(verdict.end, style));
    page.blank();
    page.paragraph(headline_of_end(verdict), {&Paint::strong});
    add_command(page, verdict);
    add_items(page, end_facts(verdict));
    if (!verdict.end.summary.empty()) {
        page.blank();
        page.paragraph(verdict.end.summary);
    }
    add_chain(page, verdict);
    add_where(page, verdict);
    if (memory_matters(verdict)) add_memory(page, verdict.memory);
    add_fixes(page, verdict);
    add_evidence(page, verdict);
    if (!verdict.choice.empty()) {
        page.section("why this");
        page.text(verdict.choice);
    }
    add_stacks(page, verdict);
    add_contributing(page, "also", verdict.contributing);
    add_missing(page, verdict.missing);
    page.blank();
    std::vector<std::string> hints{"holdfast why " + verdict.run.id};
    if (!clean) hints.push_back(formatted("holdfast explain {}", verdict.root.cause->code));
    add_items(page, hints);
    return page.take();
}

std::string memory_now(const MemorySummary& memory) {
    if (memory.curve.empty()) return {};
    const CurvePoint& now = memory.curve.back();
    const auto limit = now.limit ? now.limit : memory.limit;
    if (!limit) return human(now.used) + " in use";
    const Bytes taken = now.taken();
    const std::string files =
        now.used > taken && (now.used - taken).share_of(*limit) >= 0.05
            ? formatted(", and {} of files that can be dropped", human(now.used - taken))
            : "";
    return formatted("{} of {} in use ({:.0f} % of the {}){}", human(taken), human(*limit),
                     100 * taken.share_of(*limit),
                     memory.limit_name.empty() ? "limit" : memory.limit_name, files);
}

std::string status(const Verdict& verdict, const Style& style) {
    Page page(style);
    add_banner(page, verdict.outcome, "running");
    page.blank();
    add_command(page, verdict);
    std::vector<std::string> facts{"since " + moment(verdict.run.started_wall)};
    if (!verdict.memory.curve.empty())
        facts.push_back("seen for " + human(verdict.memory.curve.back().time));
    if (verdict.process.pid > 0) facts.push_back(formatted("pid {}", verdict.process.pid));
    if (!verdict.run.host.empty()) facts.push_back("on " + verdict.run.host);
    add_items(page, facts);
    if (const std::string now = memory_now(verdict.memory); !now.empty()) {
        page.section("now");
        page.text(now);
    }
    add_memory(page, verdict.memory);

    std::vector<Statement> findings;
    if (!(verdict.root.cause == "clean-exit"_cause)) findings.push_back(verdict.root);
    findings.insert(findings.end(), verdict.contributing.begin(), verdict.contributing.end());
    if (findings.empty()) {
        page.section("so far");
        page.text("nothing wrong seen");
    }
    add_contributing(page, "so far", findings);
    add_stacks(page, verdict);
    add_missing(page, verdict.missing);
    page.blank();
    add_items(page, {"holdfast why " + verdict.run.id});
    return page.take();
}

}  // namespace

std::string terminal_verdict(const Verdict& verdict, const Style& style) {
    return verdict.outcome == Outcome::running ? status(verdict, style)
                                               : finished_or_ended(verdict, style);
}

// The verdict in one line, for ends that need no more.

namespace {

std::string status_of(const ExitStatus& exit) {
    if (exit.signal) return " (" + signal_name(*exit.signal) + ')';
    if (exit.code) return formatted(" with status {}", *exit.code);
    return {};
}

std::string what_happened(const Verdict& verdict) {
    const CauseId cause = verdict.end.cause;
    if (verdict.outcome == Outcome::running) return "still running";
    if (cause == "exit-called"_cause) return "exited" + status_of(verdict.exit);
    if (cause == "interrupted"_cause) return "interrupted";
    if (cause == "exception"_cause)
        return "ended by an unhandled exception" + status_of(verdict.exit);
    std::string text = headline_of(verdict.end);
    if (text[0] >= 'A' && text[0] <= 'Z' && text.substr(0, 3) != "GPU" && text[1] >= 'a')
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
}

}  // namespace

std::string one_line_verdict(const Verdict& verdict) {
    std::string line = "holdfast: " + what_happened(verdict);
    if (const auto& where = verdict.end.where; where && where->line)
        line += " at " + place_name(shorten_front(safe_line(where->file, Style{}), 40, Style{}),
                                    where->line);
    if (verdict.outcome != Outcome::running)
        line += formatted(" ({} {})", verdict.end.cause->code, verdict.end.cause->slug);
    return line + "; details: holdfast why\n";
}

bool deserves_full_panel(const Verdict& verdict) {
    if (verdict.outcome == Outcome::finished || verdict.outcome == Outcome::running) return false;
    if (verdict.outcome == Outcome::stuck || !(verdict.root.cause == verdict.end.cause))
        return true;
    const CauseId end = verdict.end.cause;
    return !(end == "exception"_cause || end == "interrupted"_cause || end == "exit-called"_cause);
}

}  // namespace holdfast
