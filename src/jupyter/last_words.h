// After a kernel has died: whether there is something to report, which cell to report it to, and
// what; and how to keep it for the next kernel if no cell can show it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/verdict.h"
#include "present/notebook_message.h"
#include "record/run_directory.h"
#include "record/run_record.h"

namespace holdfast {

// Whether somebody wanted this end: a shutdown_request, or a signal from the process that started
// us.
bool was_asked_for(const Verdict& verdict, const std::vector<format::Event>& events,
                   int launcher_pid);

// The cells whose front ends still wait for an answer.
std::vector<CellRecord> waiting_cells(const std::optional<CellsRead>& cells);

// For the mourner: see python/holdfast/jupyter/last_words.py. The key stays in the connection file.
std::string words_json(const std::string& connection_file, const NotebookMessage& words,
                       const CellsRead& kernel);

// Keeps a message that could not be shown because no cell was running: the next kernel shows it
// above its first cell (agent/hooks/kernel.py).
// <home>/kernels/<name of the connection file>: the same for all kernels of one notebook session.
Status leave_untold(const RunDirectory& run, const std::string& connection_file,
                    const NotebookMessage& words);

}  // namespace holdfast
