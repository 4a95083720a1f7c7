#include "present/style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace holdfast {
namespace {

// "en_US.UTF-8", "C.utf8". Empty counts as UTF-8: a container often sets nothing, and its terminal
// is the user's.
bool names_utf8(const std::string& locale) {
    if (locale.empty()) return true;
    std::string letters;
    for (char c : locale)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters.find("utf8") != std::string::npos;
}

}  // namespace

Style choose_style(bool is_terminal, std::optional<int> columns, const TerminalEnvironment& env) {
    Style style;
    style.colour = is_terminal && env.no_color.empty() && env.term != "dumb";
    style.unicode = names_utf8(!env.lc_all.empty()     ? env.lc_all
                               : !env.lc_ctype.empty() ? env.lc_ctype
                                                       : env.lang);
    // A terminal that does not know its size says 0.
    if (columns && *columns > 0) style.width = std::clamp(*columns, least_width, greatest_width);
    return style;
}

// Only these functions of present/ ask the machine.

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
