// Makes Evidence, the plain value that rules read, from the run record and what the machine still
// shows.
#pragma once

#include "evidence/machine_view.h"
#include "model/evidence.h"
#include "record/run_record.h"

namespace holdfast {

// Never fails: what cannot be seen is absent and named under `missing`. The machine's present is
// compared with the record only within the same boot, and asked only where the record has no end.
Evidence gather(const RunRecord& record, const MachineView& machine);

}  // namespace holdfast
