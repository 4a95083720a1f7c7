#include "judge/judge.h"

#include "check/foretold.h"
#include "diagnose/diagnose.h"
#include "diagnose/growth/filling.h"
#include "diagnose/growth/memory_lines.h"
#include "evidence/comprehensions.h"
#include "evidence/crash_settle.h"
#include "evidence/gather.h"
#include "evidence/machine_view.h"
#include "evidence/source_line.h"
#include "jupyter/cell_names.h"
#include "model/json.h"

namespace holdfast {
namespace {

void add_source_line(std::optional<Where>& where) {
    if (where && where->line && where->text.empty())
        where->text = source_line(read_source, where->file, *where->line);
}

Verdict with_source_lines(Verdict verdict) {
    add_source_line(verdict.end.where);
    add_source_line(verdict.root.where);
    if (verdict.root.keeper) add_source_line(verdict.root.keeper->where);
    for (Statement& statement : verdict.contributing) add_source_line(statement.where);
    return verdict;
}

}  // namespace

Result<RunRecord> settled_record(const RunDirectory& directory) {
    // May fail (another user's run, a read-only disk): then the native stack stays unknown.
    (void)settle_crashes(directory);
    return read_run(directory);
}

Evidence evidence_of(const RunRecord& record) {
    Evidence evidence = gather(record, view_of_machine());
    for (AgentEvidence& agent : evidence.agents) {
        for (KeeperEvidence& keeper : agent.keepers)
            if (const auto source = read_source(keeper.file))
                keeper.filled_at = filling_line(*source, keeper.name);
        name_comprehensions(agent, read_source);
    }
    judge_memory(evidence);  // for readers of the evidence who ask for no verdict
    return evidence;
}

Verdict judge(const Evidence& evidence) { return with_source_lines(diagnose(evidence)); }

Verdict judge(const RunRecord& record, const Evidence& evidence) {
    Verdict verdict = diagnose(evidence);
    if (record.check_json)
        if (const auto report = check_report_from_json(*record.check_json))
            check::add_foretold(verdict, *report);
    if (record.cells) name_cells(verdict, *record.cells);
    return with_source_lines(std::move(verdict));
}

std::optional<std::string> notice_of_filling(const RunRecord& record, Nanos fills_in) {
    std::optional<FillingLeak> leak = leak_that_fills(evidence_of(record), fills_in);
    if (!leak) return std::nullopt;
    if (record.cells) {
        std::vector<MemorySite> named{leak->line};
        name_cells(named, *record.cells);
        leak->in_cell = named[0].file != leak->line.file;
        leak->line = named[0];
    }
    return notice_of(*leak);
}

Result<Verdict> verdict_of(const RunDirectory& directory, Judge how) {
    auto record = settled_record(directory);
    if (!record) return record.error();
    // Do not judge again: what the log, the cgroup and the machine show now may be of another run.
    if (record->verdict_json && how != Judge::again) {
        auto verdict = verdict_from_json(*record->verdict_json);
        if (verdict || !record->machine_header)
            return std::move(verdict).context(directory.id() + ": verdict.json");
    }
    return judge(*record, evidence_of(*record));
}

}  // namespace holdfast
