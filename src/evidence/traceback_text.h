// Finds the last Python traceback in a text that could have ended the process: most deaths are
// known only from this.
#pragma once

#include <optional>
#include <string_view>

#include "model/evidence.h"

namespace holdfast {

// Of a chain of exceptions, the last one ended the process. Skips tracebacks that end no process:
// those of threads, child processes and destructors ("Exception ignored in"), and those quoted in
// another exception's message. A traceback without its last line does not count.
std::optional<TracebackText> last_traceback(std::string_view text);

}  // namespace holdfast
