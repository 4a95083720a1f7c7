#include "say.h"

#include <unistd.h>

#include "base/pipe.h"

namespace holdfast::cli {

void say(std::string_view text) { write_within(STDERR_FILENO, text, std::chrono::seconds(2)); }

}  // namespace holdfast::cli
