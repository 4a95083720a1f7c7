// What the output allows: width, colour, and character set.
#pragma once

#include <optional>
#include <string>

namespace holdfast {

struct Style {
    int width = 80;
    bool colour = false;
    bool unicode = true;
};

// The environment variables that decide; an empty value counts as unset.
struct TerminalEnvironment {
    std::string no_color;
    std::string term;
    std::string lc_all, lc_ctype, lang;
};

inline constexpr int least_width = 40;
inline constexpr int greatest_width = 100;

// `columns` is what the terminal reports; absent if it does not.
Style choose_style(bool is_terminal, std::optional<int> columns, const TerminalEnvironment& env);

// These two ask the machine; everything else in this folder is a function of its arguments.
TerminalEnvironment terminal_environment();
Style style_for(int fd, const TerminalEnvironment& env);

}  // namespace holdfast
