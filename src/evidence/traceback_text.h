// The last Python traceback in a text that could have ended the process: the form in which people
// see most deaths.
#pragma once

#include <optional>
#include <string_view>

#include "model/evidence.h"

namespace holdfast {

// Of a chain of exceptions the last one, which is what ended it. Tracebacks that end no process are
// skipped: those of threads, of child processes, of destructors ("Exception ignored in"), and those
// quoted in another one's message. A traceback that is cut off before its last line does not count.
std::optional<TracebackText> last_traceback(std::string_view text);

}  // namespace holdfast
