// The verdict for a notebook's cell: an error in words, and a compact panel with the memory curve.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.h"

namespace holdfast {

// The name of the error that a dead kernel's cell gets; front ends look for it.
inline constexpr std::string_view kernel_died = "KernelDied";

struct NotebookMessage {
    std::string headline;            // one sentence, with cause and place
    std::string error;               // only the causes and the place: the panel above has the rest
    std::vector<std::string> lines;  // coloured like a traceback
    std::string html;
    std::string plain;  // the panel without HTML and colours
};

NotebookMessage notebook_message(const Verdict& verdict);

// Self-contained: no script, no style sheet, loads nothing; safe with any text.
std::string notebook_panel(const Verdict& verdict);

// Memory against its limit; empty where there is nothing to draw.
std::string svg_curve(const MemorySummary& memory);

}  // namespace holdfast
