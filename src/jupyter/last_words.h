// After a kernel has died: whether there is something to report, to which cell, and what.
#pragma once

#include <string>
#include <vector>

#include "model/verdict.h"
#include "present/notebook_message.h"
#include "record/run_record.h"

namespace holdfast {

// Somebody wanted this end: the server's shutdown_request, or a signal from the one who started us.
bool was_asked_for(const Verdict& verdict, const std::vector<format::Event>& events,
                   int launcher_pid);

// The cells whose front ends still wait for an answer.
std::vector<CellRecord> waiting_cells(const std::optional<CellsRead>& cells);

// For the mourner: see python/holdfast/jupyter/last_words.py. The key stays in the connection file.
std::string words_json(const std::string& connection_file, const NotebookMessage& words,
                       const CellsRead& kernel);

}  // namespace holdfast
