// The one call behind `why`, `runs` and the end of `run`: record to verdict.
#pragma once

#include "base/result.h"
#include "model/evidence.h"
#include "model/verdict.h"
#include "record/run_directory.h"
#include "record/run_record.h"

namespace holdfast {

// Reads a run, after unwinding its crashes: the first reader does that once for all.
Result<RunRecord> settled_record(const RunDirectory& directory);

Evidence evidence_of(const RunRecord& record);
Verdict judge(const Evidence& evidence);
// The same, with the names of a notebook's cells for its files.
Verdict judge(const RunRecord& record, const Evidence& evidence);

enum class Judge { once, again };

// The verdict of a run on disk: the one made at its end, where there is one. `again` judges the
// record again, as far as it is still there.
Result<Verdict> verdict_of(const RunDirectory& directory, Judge how = Judge::once);

}  // namespace holdfast
