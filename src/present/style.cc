#include "present/style.h"

#include <algorithm>
#include <cctype>

namespace holdfast {
namespace {

// "en_US.UTF-8", "C.utf8". A container often sets nothing at all, and its terminal is the user's.
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

}  // namespace holdfast
