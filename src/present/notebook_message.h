// The verdict for a notebook's cell: an error in words, and a compact panel with the memory curve.
#pragma once

#include <string>
#include <vector>

#include "model/verdict.h"

namespace holdfast {

struct NotebookMessage {
    std::string headline;            // one sentence, with cause and place
    std::string error;               // only the causes and the place: the panel above has the rest
    std::vector<std::string> lines;  // coloured, as a traceback is
    std::string html;
    std::string plain;  // the same without colours: for the panel where no HTML is shown
};

NotebookMessage notebook_message(const Verdict& verdict);

// Self-contained: no script, no style sheet, nothing that is loaded; safe with any text in it.
std::string notebook_panel(const Verdict& verdict);

// Memory against its limit; empty where there is nothing to draw.
std::string svg_curve(const MemorySummary& memory);

}  // namespace holdfast
