// Keeps a message that could not be shown because no cell was running: the next kernel shows it
// above its first cell (agent/hooks/kernel.py).
#pragma once

#include <string>

#include "base/result.h"
#include "present/notebook_message.h"
#include "record/run_directory.h"

namespace holdfast {

// <home>/kernels/<name of the connection file>: the same for all kernels of one notebook session.
Status leave_untold(const RunDirectory& run, const std::string& connection_file,
                    const NotebookMessage& words);

}  // namespace holdfast
