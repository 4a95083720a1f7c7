// Names places as a notebook's user does: by the cell's number instead of a file that never
// existed.
#pragma once

#include <vector>

#include "model/evidence.h"
#include "model/verdict.h"
#include "record/cells_box.h"

namespace holdfast {

// Everywhere in the verdict "/tmp/ipykernel_7/123.py:2" becomes "cell [3], line 2", and the file of
// a frame "cell [3]". A place in a cell gets the text of its line. "python -m ipykernel_launcher -f
// /run/kernel-1.json (pid 7)" becomes "the kernel".
void name_cells(Verdict& verdict, const CellsRead& kernel);
void name_cells(std::vector<MemorySite>& sites, const CellsRead& kernel);
// In what is recorded for others to judge: the lines that hold memory.
void name_cells(Evidence& evidence, const CellsRead& kernel);

}  // namespace holdfast
