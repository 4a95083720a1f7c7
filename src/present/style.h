// What the output allows (width, colour, character set), and colours by their meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

// `columns`: the width that the terminal reports, if it does.
Style choose_style(bool is_terminal, std::optional<int> columns, const TerminalEnvironment& env);

// Only these two ask the machine; everything else in this folder depends only on its arguments.
TerminalEnvironment terminal_environment();
Style style_for(int fd, const TerminalEnvironment& env);

// Colours by their meaning. Without colour every function returns its text unchanged.
class Paint {
public:
    explicit Paint(const Style& style) : on_(style.colour) {}

    // Uses only the sixteen colour codes: the user's theme decides how they look.
    std::string strong(std::string_view text) const { return sgr("1", text); }
    std::string faint(std::string_view text) const { return sgr("2", text); }
    std::string label(std::string_view text) const { return sgr("36", text); }
    std::string code(std::string_view text) const { return sgr("33", text); }
    std::string place(std::string_view text) const { return sgr("1;36", text); }
    std::string good(std::string_view text) const { return sgr("32", text); }
    std::string warn(std::string_view text) const { return sgr("33", text); }
    std::string bad(std::string_view text) const { return sgr("31", text); }
    std::string good_badge(std::string_view text) const { return sgr("1;30;42", text); }
    std::string bad_badge(std::string_view text) const { return sgr("1;97;41", text); }
    std::string calm_badge(std::string_view text) const { return sgr("1;30;46", text); }

private:
    std::string sgr(std::string_view code, std::string_view text) const {
        if (!on_ || text.empty()) return std::string(text);
        std::string painted = "\x1b[";
        return painted.append(code).append("m").append(text).append("\x1b[0m");
    }
    bool on_;
};

}  // namespace holdfast
