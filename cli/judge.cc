#include "judge.h"

#include "diagnose/diagnose.h"
#include "evidence/crash_settle.h"
#include "evidence/gather.h"
#include "evidence/machine_view.h"
#include "evidence/source_line.h"
#include "jupyter/cell_names.h"
#include "model/json.h"

namespace holdfast::cli {
namespace {

void add_source_line(std::optional<Where>& where) {
    if (where && where->line && where->text.empty())
        where->text = source_line(read_source, where->file, *where->line);
}

}  // namespace

Result<RunRecord> settled_record(const RunDirectory& directory) {
    // Another user's run, a read-only disk: then the native stack stays unknown.
    (void)settle_crashes(directory);
    return read_run(directory);
}

Evidence evidence_of(const RunRecord& record) { return gather(record, view_of_machine()); }

Verdict judge(const RunRecord& record) {
    Verdict verdict = diagnose(evidence_of(record));
    if (record.cells) name_cells(verdict, *record.cells);
    add_source_line(verdict.end.where);
    add_source_line(verdict.root.where);
    for (Finding& finding : verdict.contributing) add_source_line(finding.where);
    return verdict;
}

Result<Verdict> verdict_of(const RunDirectory& directory) {
    auto record = settled_record(directory);
    if (!record) return record.error();
    // The boxes carry checksums and decide; without them the verdict written at the end is all
    // there is.
    if (!record->machine_header && record->verdict_json)
        return verdict_from_json(*record->verdict_json).context(directory.id() + ": verdict.json");
    return judge(*record);
}

}  // namespace holdfast::cli
