#include "present/check_page.h"

#include <map>

#include "base/format.h"
#include "present/page.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

std::string_view severity_words(Severity severity) {
    switch (severity) {
    case Severity::blocks: return "blocks";
    case Severity::will_hurt: return "will hurt";
    case Severity::note: return "note";
    }
    return "";
}

// "12 no NVIDIA GPU or driver, 1 runs only with --import": how many checks were impossible, by
// reason.
std::string reasons(const CheckReport& report) {
    std::map<std::string, int> counts;
    for (const ImpossibleCheck& check : report.impossible) ++counts[check.why];
    std::string text;
    while (!counts.empty()) {
        auto most = counts.begin();
        for (auto at = counts.begin(); at != counts.end(); ++at)
            if (at->second > most->second) most = at;
        text += formatted("{}{} ({})", text.empty() ? "" : ", ", most->first, most->second);
        counts.erase(most);
    }
    return text;
}

// "Python 3.11, /srv/env/bin/python, with torch 2.9.0"
std::string judged(const JudgedPython& python) {
    if (python.program.empty()) return "No Python was found to check; name one with --python.";
    std::string text = formatted("Checked: Python {}{}{}", python.version,
                                 python.version.empty() ? "" : ", ", python.program);
    for (const std::string& framework : python.frameworks)
        text += (&framework == python.frameworks.data() ? ", with " : ", ") + framework;
    if (python.frameworks.empty()) text += ", without torch, tensorflow and jax";
    return text + '.';
}

}  // namespace

std::string check_page(const CheckReport& report, const Style& style) {
    Page page(style);
    for (const CheckFinding& finding : report.findings) {
        page.section(severity_words(finding.severity));
        page.text(
            finding.summary,
            {.colour = finding.severity == Severity::blocks
                           ? &Paint::bad
                           : (finding.severity == Severity::will_hurt ? &Paint::warn : nullptr)});
        for (const Observation& seen : finding.evidence)
            page.text(seen.source + ": " + seen.text, {.colour = &Paint::faint, .hang = 2});
        for (const Fix& fix : finding.fixes) {
            page.text(fix.text, {.hang = 2});
            if (!fix.code.empty()) page.code(fix.code, 2, 3);
        }
        page.text(formatted("{} {} · {}", finding.cause->code, finding.cause->slug, finding.check),
                  {.colour = &Paint::faint});
        page.blank();
    }
    if (report.findings.empty()) page.paragraph("Nothing needs attention.");
    page.paragraph(judged(report.python));
    std::string rest = formatted("{} checks fine", report.fine);
    if (!report.impossible.empty())
        rest += formatted(", {} not possible: {}", report.impossible.size(), reasons(report));
    page.paragraph(rest + '.', {.max_lines = 12});
    return page.take();
}

std::string blocking_notice(const CheckReport& report, const Style& style) {
    std::string text;
    for (const CheckFinding& finding : report.findings)
        if (finding.severity == Severity::blocks)
            text += formatted("holdfast: {} ({} {}); more: holdfast check\n",
                              safe_line(finding.summary, style), finding.cause->code,
                              finding.cause->slug);
    return text;
}

}  // namespace holdfast
