#include "present/markup.h"

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

}  // namespace holdfast
