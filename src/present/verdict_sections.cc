#include "present/verdict_sections.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "present/curve.h"
#include "present/headline.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

constexpr std::size_t most_fixes = 6;
constexpr std::size_t most_observations = 12;
constexpr std::size_t most_others = 6;
constexpr std::size_t most_sites = 5;

std::string repeated(std::string_view glyph, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += glyph;
    return text;
}

bool same_place(const Where& a, const Where& b) { return a.file == b.file && a.line == b.line; }

void add_place(Page& page, std::string_view label, const Where& where) {
    page.section(label);
    const std::string place = place_name(where.file, where.line);
    const std::string function = where.function.empty() ? "" : " in " + where.function;
    const std::string shown = safe_line(place, page.style());
    const std::string suffix = safe_text(function, page.style());
    if (display_width(shown) + display_width(suffix) <= page.body_width() &&
        suffix.find('\n') == std::string::npos) {
        page.row(page.paint().place(shown) + page.paint().faint(suffix));
    } else {
        page.text(place, {&Paint::place, 0, 2, 3});
        page.text(function, {&Paint::faint, 2, 2, 2});
    }
    if (!where.text.empty()) page.code(trim(where.text), 2, 2);
}

// Joins two lists; leaves out of the second what the first has.
template <class T, class Same>
std::vector<T> joined(const std::vector<T>& first, const std::vector<T>& second, Same same) {
    std::vector<T> all = first;
    for (const T& item : second)
        if (std::none_of(all.begin(), all.end(), [&](const T& x) { return same(x, item); }))
            all.push_back(item);
    return all;
}

bool has_deeper_root(const Verdict& verdict) { return !(verdict.root.cause == verdict.end.cause); }

std::string per_step(const MemorySite& site) {
    if (!site.growth_per_step) return {};
    const std::int64_t growth = *site.growth_per_step;
    // Negates as unsigned: the most negative number has no positive counterpart.
    const auto size = static_cast<std::uint64_t>(growth);
    return formatted("{}{} a step", growth < 0 ? "-" : "+",
                     human(Bytes{growth < 0 ? 0U - size : size}));
}

// Adds the error if there is room for it.
std::string held(const MemorySite& site, const Page& page) {
    constexpr int roomy = 60;
    if (page.body_width() < roomy || !page.style().unicode) return human(site.live);
    return human_with_error(site.live, site.error);
}

// "  400 MiB ± 60 MiB  +3.1 MiB a step  train.py:42", the figures in columns.
void add_sites(Page& page, const std::vector<MemorySite>& sites) {
    const std::size_t count = std::min(most_sites, sites.size());
    int live_width = 0;
    int step_width = 0;
    for (std::size_t i = 0; i < count; ++i) {
        live_width = std::max(live_width, display_width(held(sites[i], page)));
        step_width = std::max(step_width, display_width(per_step(sites[i])));
    }
    for (std::size_t i = 0; i < count; ++i) {
        std::string figures = formatted("{:>{}}  ", held(sites[i], page), live_width);
        if (step_width > 0) figures += formatted("{:<{}}  ", per_step(sites[i]), step_width);
        const std::string line = formatted(":{}", sites[i].line);
        // On a narrow terminal the place gets a row of its own.
        constexpr int least_room = 12;
        int room = page.body_width() - display_width(figures) - display_width(line);
        if (room < least_room) {
            page.row(figures);
            figures = "  ";
            room = page.body_width() - 2 - display_width(line);
        }
        const std::string file =
            shorten_front(safe_line(sites[i].file, page.style()), room, page.style());
        page.row(figures + page.paint().place(file + line));
    }
}

}  // namespace

std::string_view separator(const Style& style) { return style.unicode ? " · " : " - "; }

std::string cause_tag(const Statement& finding, const Style& style) {
    return formatted("{} {}{}{}", finding.cause->code, finding.cause->slug, separator(style),
                     name_of(finding.confidence));
}

void add_banner(Page& page, Outcome outcome, const std::string& right) {
    const Paint& paint = page.paint();
    const bool bad = outcome == Outcome::died || outcome == Outcome::stuck;
    const std::string_view rule = page.style().unicode ? "━" : "=";
    const Colour colour = bad                            ? &Paint::bad
                          : outcome == Outcome::finished ? &Paint::good
                                                         : &Paint::label;
    const Colour badge = bad                            ? &Paint::bad_badge
                         : outcome == Outcome::finished ? &Paint::good_badge
                                                        : &Paint::calm_badge;
    const std::string name = " HOLDFAST ";
    const int room = page.style().width - 2 - display_width(name);
    const int fill = room - 4 - display_width(right);
    const std::string left = (paint.*colour)(repeated(rule, 2)) + (paint.*badge)(name);
    if (fill >= 2)
        return page.line(left + (paint.*colour)(repeated(rule, fill)) + ' ' + paint.strong(right) +
                         ' ' + (paint.*colour)(repeated(rule, 2)));
    page.line(left + (paint.*colour)(repeated(rule, room)));
    page.paragraph(right, {&Paint::strong});
}

void add_chain(Page& page, const Verdict& verdict) {
    if (!has_deeper_root(verdict)) return;
    page.section("because");
    page.text(verdict.root.summary.empty() ? std::string(verdict.root.cause->meaning)
                                           : verdict.root.summary,
              {&Paint::strong});
    page.text(cause_tag(verdict.root, page.style()), {&Paint::faint});
}

void add_where(Page& page, const Verdict& verdict) {
    const std::optional<Where>&root = verdict.root.where, &end = verdict.end.where;
    if (root) add_place(page, "where", *root);
    if (end && !(root && same_place(*root, *end)))
        add_place(page, root ? "ended at" : "where", *end);
}

void add_memory(Page& page, const MemorySummary& memory) {
    const auto lines = draw_curve(memory, page.style(), page.body_width());
    if (lines.empty() && !memory.peak && memory.top_sites.empty()) return;
    page.section("memory");
    for (const std::string& line : lines) page.row(line);
    if (lines.empty() && memory.peak) {
        std::string text = "peak " + human(*memory.peak);
        if (memory.limit)
            text += formatted(", {} {}", memory.limit_name.empty() ? "limit" : memory.limit_name,
                              human(*memory.limit));
        page.text(text);
    }
    add_sites(page, memory.top_sites);
}

void add_fixes(Page& page, const Verdict& verdict) {
    const auto fixes =
        joined(verdict.root.fixes, verdict.end.fixes,
               [](const Fix& a, const Fix& b) { return a.text == b.text && a.code == b.code; });
    if (fixes.empty()) return;
    page.section("do now");
    for (std::size_t i = 0; i < std::min(most_fixes, fixes.size()); ++i) {
        page.text(formatted("{}. {}", i + 1, fixes[i].text), {nullptr, 0, 3});
        if (!fixes[i].code.empty()) page.code(fixes[i].code, 5, 8);
    }
}

void add_evidence(Page& page, const Verdict& verdict) {
    const auto seen = joined(verdict.end.evidence, verdict.root.evidence,
                             [](const Observation& a, const Observation& b) {
                                 return a.source == b.source && a.text == b.text;
                             });
    if (seen.empty()) return;
    page.section("evidence");
    const std::size_t count = std::min(most_observations, seen.size());
    int width = 0;
    for (std::size_t i = 0; i < count; ++i)
        width = std::max(width, display_width(safe_line(seen[i].source, page.style())));
    width = std::min(width, page.body_width() / 3);
    for (std::size_t i = 0; i < count; ++i) page.pair(seen[i].source, width, seen[i].text, 4);
    if (seen.size() > count) page.text(formatted("and {} more", seen.size() - count));
}

void add_contributing(Page& page, std::string_view label, const std::vector<Statement>& findings) {
    if (findings.empty()) return;
    page.section(label);
    for (std::size_t i = 0; i < std::min(most_others, findings.size()); ++i) {
        const Statement& finding = findings[i];
        page.text(formatted("{}: {}", finding.cause->slug,
                            finding.summary.empty() ? finding.cause->meaning : finding.summary),
                  {nullptr, 0, 2, 2});
    }
    if (findings.size() > most_others)
        page.text(formatted("and {} more", findings.size() - most_others));
}

void add_missing(Page& page, const std::vector<std::string>& missing) {
    if (missing.empty()) return;
    page.section("not seen");
    for (std::size_t i = 0; i < std::min(most_others, missing.size()); ++i)
        page.text(missing[i], {nullptr, 0, 2, 2});
    if (missing.size() > most_others)
        page.text(formatted("and {} more", missing.size() - most_others));
}

void add_items(Page& page, const std::vector<std::string>& items) {
    const std::string_view between = separator(page.style());
    std::string line;
    const auto flush = [&] {
        if (!line.empty()) page.paragraph(line, {&Paint::faint});
        line.clear();
    };
    for (const std::string& item : items) {
        const std::string safe = safe_line(item, page.style());
        if (safe.empty()) continue;
        if (!line.empty() &&
            2 + display_width(line) + display_width(between) + display_width(safe) >
                page.style().width)
            flush();
        line.append(line.empty() ? "" : between).append(safe);
    }
    flush();
}

}  // namespace holdfast
