// Lines of stderr that tell the cause by themselves: telling_lines.txt.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace holdfast {

struct TellingLine {
    // How a program ends after the words. `either` is an exception or an abort; where the library
    // that says them also ends the process, a plain exit status will do. Anybody else may print
    // them and exit.
    enum class Ends { by_exception, by_abort, either, library_exits, in_any_way };

    std::string cause;  // its short name, "numpy-abi"
    std::string text;
    std::string also;  // must stand in the same line; may be empty
    Ends ends = Ends::by_exception;
    std::string fix;
    std::string code;
};

std::optional<TellingLine::Ends> ends_named(std::string_view name);

// The first that fits is taken: the special before the general.
std::span<const TellingLine> telling_lines();

}  // namespace holdfast
