#include "say.h"

#include <unistd.h>

#include "base/pipe.h"

namespace holdfast::cli {

void say(std::string_view text, int fd) {
    write_within(fd >= 0 ? fd : STDERR_FILENO, text, std::chrono::seconds(2));
}

}  // namespace holdfast::cli
