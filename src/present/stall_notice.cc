#include "present/stall_notice.h"

#include <algorithm>

#include "base/format.h"
#include "present/headline.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

constexpr std::size_t most_lines = 4;
constexpr int widest = 160;  // of one line; a log has no edge to wrap at

}  // namespace

std::string stall_line(const Verdict& verdict, Nanos lasted) {
    const Statement& root = verdict.root;
    std::string place;
    if (const auto& where = root.where; where && where->line)
        place = " at " + safe_line(place_name(where->file, where->line), Style{});
    return formatted("holdfast: not moving for {}{}. {} (holdfast explain {})", human(lasted),
                     place, headline_of(root), root.cause->slug);
}

std::string stall_notice(const Verdict& verdict, Nanos lasted, const Style& style) {
    const Statement& root = verdict.root;
    std::string text = formatted("holdfast: not moving for {}. {} ({} {})\n", human(lasted),
                                 headline_of(root), root.cause->code, root.cause->slug);
    const auto add = [&](const std::string& line) {
        text += "  " + shorten(safe_line(line, style), widest, style) + '\n';
    };
    if (!root.summary.empty()) add(root.summary);
    // The first line says how long it lasts; these say which thread waits where.
    std::size_t told = 0;
    for (const Observation& seen : root.evidence) {
        if (seen.source == "not moving" || told == most_lines) continue;
        add(seen.source + ": " + seen.text);
        ++told;
    }
    text += formatted("  more: holdfast why {}; what to do: holdfast explain {}\n", verdict.run.id,
                      root.cause->code);
    return text;
}

std::string moves_again_notice(Nanos lasted) {
    return formatted("holdfast: it moves again, after {}\n", human(lasted));
}

}  // namespace holdfast
