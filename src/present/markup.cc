#include "present/markup.h"

#include <algorithm>

#include "present/wrap.h"

namespace holdfast {

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : safe_text(clipped(text), Style{})) {
        switch (c) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        case '\'': safe += "&#39;"; break;
        default: safe += c;
        }
    }
    return safe;
}

std::string escaped_with_code(std::string_view text) {
    const std::string safe = escaped(text);
    // With an odd number of backticks, nothing is known to be code.
    if (std::count(safe.begin(), safe.end(), '`') % 2 != 0) return safe;
    std::string marked;
    bool in_code = false;
    for (const char c : safe) {
        if (c != '`') {
            marked += c;
            continue;
        }
        in_code = !in_code;
        marked += in_code ? "<code>" : "</code>";
    }
    return marked;
}

}  // namespace holdfast
