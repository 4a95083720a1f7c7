// The verdict for people at a terminal. Every text ends with a newline; no line is wider than the
// style allows.
#pragma once

#include <string>

#include "model/verdict.h"
#include "present/style.h"

namespace holdfast {

// The whole panel; for a run still going, its status.
std::string terminal_verdict(const Verdict& verdict, const Style& style);

// "holdfast: exited with status 3 (HF907 exit-called); details: holdfast why"
std::string one_line_verdict(const Verdict& verdict);

// Whether the end of `run` shows the panel. An ordinary exception, an interrupt or an exit call
// without a deeper root gets the one line instead (the traceback already said it), a clean run
// nothing.
bool deserves_full_panel(const Verdict& verdict);

}  // namespace holdfast
