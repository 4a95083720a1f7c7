// Classifies single lines of a Python program's stderr; the traceback parser puts them together.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/evidence.h"

namespace holdfast::traceback {

// Launchers put "[rank0]: " (torchrun), "[1,0]<stderr>:" (mpirun) or "0: " (srun -l) before a line.
struct Line {
    std::string_view prefix;  // up to its colon; empty for most
    std::string_view text;
    std::size_t number = 0;
};
Line split_prefix(std::string_view raw, std::size_t number);
// Drops one blank after the prefix, if the launcher adds one. Indentation matters, so the header
// line decides.
void drop_separator(std::vector<Line>& stream);

// Whose traceback follows, according to the line above it.
enum class Owner { process, thread, child, ignored };
std::optional<Owner> announced(std::string_view line);

bool is_header(std::string_view line);        // also right behind a progress bar without a newline
bool is_group_header(std::string_view line);  // "  + Exception Group Traceback ..."
bool is_chain_link(std::string_view line);    // "During handling of the above exception, ..."
bool is_quote(std::string_view line);         // """ around a traceback of another process
bool is_blank(std::string_view line);

// A line that often follows the last traceback and means nothing: a warning, a progress bar.
bool is_epilogue(std::string_view line);
// A line of a log or of training progress: the program went on after the traceback.
bool is_progress(std::string_view line);

// `  File "x.py", line 3, in f`; without "in" the place of a SyntaxError.
std::optional<Frame> frame_of(std::string_view line);
bool is_syntax_place(std::string_view line);
bool is_syntax_error(std::string_view type);

struct ExceptionHead {
    std::string type;
    std::string message;
};
// "OSError: [Errno 28] ...", "KeyboardInterrupt".
std::optional<ExceptionHead> exception_head(std::string_view line);

}  // namespace holdfast::traceback
