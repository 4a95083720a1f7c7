// The only part of present/ that asks the machine.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "present/style.h"

namespace holdfast {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

TerminalEnvironment terminal_environment() {
    return {variable("NO_COLOR"), variable("TERM"), variable("LC_ALL"), variable("LC_CTYPE"),
            variable("LANG")};
}

Style style_for(int fd, const TerminalEnvironment& env) {
    std::optional<int> columns;
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return choose_style(::isatty(fd) == 1, columns, env);
}

}  // namespace holdfast
