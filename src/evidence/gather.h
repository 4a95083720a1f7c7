// Makes Evidence, the plain value that rules read, from the run record and what the machine still
// shows.
#pragma once

#include "evidence/machine_view.h"
#include "model/evidence.h"
#include "record/run_record.h"

namespace holdfast {

// Never fails: what cannot be seen is absent and named in `missing`. Looks at the machine only if
// the record has no end (or for a mark that comes late), and only within the same boot.
Evidence gather(const RunRecord& record, const MachineView& machine);

}  // namespace holdfast
