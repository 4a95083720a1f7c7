// The panel of a verdict as HTML. Colours that read on light and dark pages; every text escaped.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "present/headline.h"
#include "present/markup.h"
#include "present/notebook_message.h"
#include "present/place.h"
#include "present/verdict_sections.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

constexpr std::size_t sites_in_panel = 4;

std::string code(std::string_view text) { return formatted("<code>{}</code>", escaped(text)); }

std::string paragraph(const std::string& inner) {
    return formatted("<div style=\"margin:4px 0\">{}</div>", inner);
}

std::string block(std::string_view text) {
    return formatted(
        "<pre style=\"margin:2px 0 2px 1em;white-space:pre-wrap\"><code>{}</code></pre>",
        escaped(text));
}

std::string head(const Verdict& verdict) {
    const bool bad = verdict.outcome == Outcome::died || verdict.outcome == Outcome::stuck;
    const std::string line =
        verdict.outcome == Outcome::running ? "Still running" : headline_of(verdict.end);
    std::string text =
        formatted("<b style=\"color:{}\">{}</b>", bad ? "#d32f2f" : "inherit", escaped(line));
    if (verdict.outcome != Outcome::running)
        text +=
            " <span style=\"opacity:.7\">" + escaped(cause_tag(verdict.end, Style{})) + "</span>";
    return paragraph(text);
}

std::string because(const Verdict& verdict) {
    if (verdict.root.cause == verdict.end.cause) return {};
    return paragraph(
        formatted("<b>Because:</b> {} <span style=\"opacity:.7\">{}</span>",
                  escaped_with_code(verdict.root.summary.empty() ? verdict.root.cause->meaning
                                                                 : verdict.root.summary),
                  escaped(cause_tag(verdict.root, Style{}))));
}

std::string place(const Verdict& verdict) {
    const auto& where = verdict.root.where ? verdict.root.where : verdict.end.where;
    if (!where) return {};
    std::string text = formatted("<b>{}</b>", escaped(place_name(where->file, where->line)));
    if (!where->function.empty()) text += " in " + code(where->function);
    if (!where->text.empty()) text += block(trim(where->text));
    return paragraph(text);
}

std::string sites(const MemorySummary& memory) {
    std::string rows;
    for (std::size_t i = 0; i < std::min(sites_in_panel, memory.top_sites.size()); ++i) {
        const MemorySite& site = memory.top_sites[i];
        rows += formatted(
            "<tr><td style=\"text-align:right;padding:0 8px 0 0\">{}</td><td "
            "style=\"text-align:left\">{}</td></tr>",
            human_with_error(site.live, site.error), code(place_name(site.file, site.line)));
    }
    return rows.empty() ? rows
                        : "<table style=\"margin:4px 0;font-size:12px\">" + rows + "</table>";
}

std::string fixes(const Verdict& verdict) {
    std::vector<Fix> all = verdict.root.fixes;
    if (!(verdict.root.cause == verdict.end.cause))
        all.insert(all.end(), verdict.end.fixes.begin(), verdict.end.fixes.end());
    if (all.empty()) return {};
    std::string items;
    for (const Fix& fix : all)
        items += "<li>" + escaped_with_code(fix.text) +
                 (fix.code.empty() ? std::string() : block(fix.code)) + "</li>";
    return paragraph("<b>Do now</b><ol style=\"margin:2px 0 2px 1.5em;padding:0\">" + items +
                     "</ol>");
}

}  // namespace

std::string notebook_panel(const Verdict& verdict) {
    const bool bad = verdict.outcome == Outcome::died || verdict.outcome == Outcome::stuck;
    std::string html = formatted(
        "<div class=\"holdfast-verdict\" data-run=\"{}\" data-slug=\"{}\" "
        "style=\"border:1px solid {};border-left-width:4px;border-radius:4px;padding:6px 12px;"
        "margin:4px 0;max-width:48em;font-family:system-ui,sans-serif;font-size:13px;"
        "line-height:1.45\">",
        escaped(verdict.run.id), verdict.root.cause->slug, bad ? "#d32f2f" : "#2e7d8c");
    html += head(verdict);
    if (!verdict.end.summary.empty() && verdict.outcome != Outcome::running)
        html += paragraph(escaped_with_code(verdict.end.summary));
    html += because(verdict) + place(verdict) + svg_curve(verdict.memory) + sites(verdict.memory) +
            fixes(verdict);
    html += "<div style=\"opacity:.7;margin:4px 0\">" + code("holdfast why " + verdict.run.id);
    if (verdict.outcome != Outcome::running && !(verdict.root.cause == "clean-exit"_cause))
        html += " &middot; " + code("holdfast explain " + std::string(verdict.root.cause->code));
    return html + "</div></div>";
}

}  // namespace holdfast
