// Runs one command under watch, from its start to its end.
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "base/unique_fd.h"
#include "record/box_writer.h"
#include "record/run_directory.h"
#include "record/run_facts.h"
#include "record/run_record.h"
#include "supervise/bystander.h"
#include "supervise/run_options.h"

namespace holdfast {

// A run whose command has ended. Holds the record open for those who read it next.
class FinishedRun {
public:
    int wait_status = 0;
    bool unobserved = false;  // we failed meanwhile: only the status is known
    RunFacts facts;
    std::optional<RunDirectory> directory;  // nothing: no disk could be written
    // Where to write what must come after the program's last bytes, when some of them still wait
    // for their reader; none: stderr.
    UniqueFd stderr_behind;
    Errands errands;  // helpers that may still be at work

    Result<RunRecord> read() const;

private:
    friend class Supervisor;
    std::unique_ptr<MachineBox> machine_;
    std::unique_ptr<OutputBox> output_;
    int gpu_fd_ = -1;
};

// Returns after the command's end. An Error: the command could not be started (its number is
// exec's).
Result<FinishedRun> supervise(const RunOptions& options);

}  // namespace holdfast
