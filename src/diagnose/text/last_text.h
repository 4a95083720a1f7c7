// What the dying process said last. A message counts only at the very end of stderr, and only if
// the exit fits it: the same message, caught and logged an hour earlier, says nothing about this
// death.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/death/death.h"
#include "diagnose/finding.h"

namespace holdfast {

// The exception that ended a Python program: its traceback ends the output, no other process raised
// it, and the exit status is a failure. Nothing for a death by signal: a program that prints a
// traceback and then crashes in its clean-up died of the crash.
const TracebackText* final_exception(const Death& death);

// "OSError: [Errno 28] No space left on device"
std::string exception_line(const TracebackText& traceback);

// Judged only by the exception's own words: the paths around them may contain anything.
Topic topic_of(const TracebackText& traceback);

// An uncaught exception makes Python exit with 1; the program chose any other status.
bool exception_decided_exit(const Death& death);

struct Said {
    std::string line;
    // In the final exception's own message, or in the last lines before a death by signal; else
    // only near the end.
    bool final = false;
    std::string source = "stderr";
};

// The last line near the end that has one of `needles` (case matters). If a traceback ends the
// output, searches only the exception itself, never the source lines that the traceback quotes.
std::optional<Said> said_last(const Death& death, std::initializer_list<std::string_view> needles);

// The same for messages of the system. Ignores a ValueError about a full disk, which the program
// itself raised, unless it quotes the errno.
std::optional<Said> system_said_last(const Death& death,
                                     std::initializer_list<std::string_view> needles);

// The words of a message without the paths in it, which may contain anything: quoted ones, spaces
// and all, and every other word with a slash.
std::string without_paths(std::string_view message);

// The last non-blank lines of `text`, oldest first.
std::vector<std::string_view> last_lines(std::string_view text, std::size_t count);

// Where the final exception is known from: "stderr", or "exception" as the agent recorded it.
std::string source_of(const TracebackText& traceback);

}  // namespace holdfast
