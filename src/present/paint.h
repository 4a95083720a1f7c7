// Colours by what they mean. Without colour every function returns its text unchanged.
#pragma once

#include <string>
#include <string_view>

#include "present/style.h"

namespace holdfast {

class Paint {
public:
    explicit Paint(const Style& style) : on_(style.colour) {}

    // Sixteen-colour codes only: the user's theme decides what they look like.
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
