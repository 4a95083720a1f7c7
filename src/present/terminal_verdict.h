// The verdict for people at a terminal. Every text ends with a newline; no line is wider than the
// style allows.
#pragma once

#include <string>

#include "model/verdict.h"
#include "present/style.h"

namespace holdfast {

// The whole panel; for a run that still goes on, its status.
std::string terminal_verdict(const Verdict& verdict, const Style& style);

// "holdfast: exited with status 3 (HF907 exit-called); details: holdfast why"
std::string one_line_verdict(const Verdict& verdict);

// Whether `run` shows the panel at the end. An ordinary exception, an interrupt, or an exit call
// without a deeper root gets one line instead (the traceback says the rest), and a clean run gets
// nothing.
bool deserves_full_panel(const Verdict& verdict);

}  // namespace holdfast
