#include "evidence/own_lines.h"

#include <optional>

#include "base/text.h"

namespace holdfast {
namespace {

bool begins_panel(std::string_view line) {
    return line.starts_with("━━ HOLDFAST ") || line.starts_with("== HOLDFAST ");
}

// "  holdfast why 20261115-163711-919-11418 · holdfast explain HF110", the panel's last line.
bool ends_panel(std::string_view line) {
    return line.starts_with("  holdfast why ") || line.starts_with("  details: holdfast why");
}

// "holdfast: not moving for 20 s ..." is followed by lines that belong to it.
bool continues_notice(std::string_view line) { return line.starts_with("  more: holdfast why "); }

}  // namespace

std::string without_own_lines(std::string_view text) {
    std::string kept;
    kept.reserve(text.size());
    bool in_panel = false;
    bool in_notice = false;
    std::string held;  // an empty line that may precede a panel, which is dropped with it
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        const std::string_view whole = end == rest.npos ? rest : rest.substr(0, end + 1);
        rest.remove_prefix(whole.size());
        if (in_panel) {
            in_panel = !ends_panel(line);
            continue;
        }
        if (begins_panel(line)) {
            in_panel = true;
            held.clear();
            continue;
        }
        in_notice = line.starts_with("holdfast: ") || (in_notice && line.starts_with("  ")) ||
                    continues_notice(line);
        if (in_notice) continue;
        kept += held;
        held.clear();
        (line.empty() ? held : kept) += whole;
    }
    return kept + held;
}

}  // namespace holdfast
