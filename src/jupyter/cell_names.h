// Names places as a notebook's user does: by the number of the cell, and not by a file that never
// existed.
#pragma once

#include <vector>

#include "model/evidence.h"
#include "model/verdict.h"
#include "record/cells_box.h"

namespace holdfast {

// Renames throughout the verdict: "/tmp/ipykernel_7/123.py:2" becomes "cell [3], line 2", a frame's
// file "cell [3]", and "python -m ipykernel_launcher -f /run/kernel-1.json (pid 7)" becomes "the
// kernel". Adds the source line to a place in a cell.
void name_cells(Verdict& verdict, const CellsRead& kernel);
void name_cells(std::vector<MemorySite>& sites, const CellsRead& kernel);
// Renames the lines that hold memory, in evidence that is recorded for others.
void name_cells(Evidence& evidence, const CellsRead& kernel);

}  // namespace holdfast
