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
    // Created before the kernel starts, because later the process that started us may be gone.
    explicit KernelEnd(std::string connection_file);

    // Right after the end, before anything is known of it.
    void prepare(const FinishedRun& finished);

    enum class Said { nothing, in_the_cell, later };
    // nothing: it ended well, or as somebody wanted. later: nobody waits for this kernel now.
    Said speak(const FinishedRun& finished, const RunRecord& record, const Verdict& verdict);

private:
    std::string connection_file_;
    int launcher_;
    std::optional<Mourner> mourner_;
};

}  // namespace holdfast::cli
