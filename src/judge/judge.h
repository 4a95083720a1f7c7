// The one call behind `why`, `runs` and the end of `run`: record to verdict.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "model/evidence.h"
#include "model/verdict.h"
#include "record/run_directory.h"
#include "record/run_record.h"

namespace holdfast {

// Reads a run. The first reader also unwinds its crashes, once for all later readers.
Result<RunRecord> settled_record(const RunDirectory& directory);

Evidence evidence_of(const RunRecord& record);
Verdict judge(const Evidence& evidence);
// The same; names a notebook's cells instead of their files.
Verdict judge(const RunRecord& record, const Evidence& evidence);

// What the user of a program that still runs is told about the leak that will fill its memory;
// nothing unless one is certain.
std::optional<std::string> notice_of_filling(const RunRecord& record, Nanos fills_in);

enum class Judge { once, again };

// The verdict of a run on disk: the one made at its end, if there is one. `again` judges the record
// again, if it still exists.
Result<Verdict> verdict_of(const RunDirectory& directory, Judge how = Judge::once);

}  // namespace holdfast
