// The end of a Jupyter kernel under `run --kernel`: the cell that was running shows why.
#pragma once

#include <optional>
#include <string>

#include "jupyter/mourner.h"
#include "model/verdict.h"
#include "record/run_record.h"
#include "supervise/supervisor.h"

namespace holdfast::cli {

class KernelEnd {
public:
    // Create before the kernel starts: the process that started us may be gone later.
    explicit KernelEnd(std::string connection_file);

    // Right after the end, before anything is known of it.
    void prepare(const FinishedRun& finished);

    enum class Said { nothing, in_the_cell, later };
    // nothing: it ended well, or somebody wanted it to end. later: no cell is waiting, so the next
    // kernel will show it.
    Said speak(const FinishedRun& finished, const RunRecord& record, const Verdict& verdict);

private:
    std::string connection_file_;
    int launcher_;
    std::optional<Mourner> mourner_;
};

}  // namespace holdfast::cli
