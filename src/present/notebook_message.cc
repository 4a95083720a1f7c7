#include "present/notebook_message.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "present/headline.h"
#include "present/page.h"
#include "present/verdict_sections.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

const Where* where_in(const Verdict& verdict) {
    if (verdict.root.where) return &*verdict.root.where;
    return verdict.end.where ? &*verdict.end.where : nullptr;
}

// The line of the cell where the main thread was, not the functions that it called.
std::optional<Frame> last_cell_line(const Verdict& verdict) {
    if (verdict.python_stack.empty()) return std::nullopt;
    const auto& frames = verdict.python_stack.front().frames;
    const auto found = std::find_if(frames.rbegin(), frames.rend(), [](const Frame& frame) {
        return frame.line && frame.file.starts_with("cell [");
    });
    return found == frames.rend() ? std::nullopt : std::optional(*found);
}

// " (host-leak), at cell [3], line 2"
std::string root_and_place(const Verdict& verdict) {
    std::string text;
    if (!(verdict.root.cause == verdict.end.cause))
        text += formatted(" ({})", verdict.root.cause->slug);
    if (const Where* where = where_in(verdict))
        text += ", at " + safe_line(place_name(where->file, where->line), Style{});
    else if (const auto line = last_cell_line(verdict))
        text += ", at " + safe_line(place_name(line->file, line->line), Style{});
    return text;
}

std::string memory_figures(const MemorySummary& memory) {
    if (!memory.peak) return {};
    if (!memory.limit) return formatted("memory: {} at most", human(*memory.peak));
    return formatted("memory: {} at most, {} {}", human(*memory.peak),
                     memory.limit_name.empty() ? "limit" : memory.limit_name, human(*memory.limit));
}

bool is_there(const Statement& finding, const Frame& frame) {
    return finding.where && finding.where->file == frame.file && finding.where->line == frame.line;
}

std::string page_of(const Verdict& verdict, const Style& style) {
    Page page(style);
    page.line(page.paint().bad(kernel_died) + ": " +
              page.paint().strong(safe_line(headline_of_end(verdict), style)));
    page.paragraph(cause_tag(verdict.end, style), {&Paint::faint});
    if (!verdict.end.summary.empty()) {
        page.blank();
        page.paragraph(verdict.end.summary);
    }
    add_chain(page, verdict);
    add_where(page, verdict);
    if (const auto line = last_cell_line(verdict);
        line && !is_there(verdict.root, *line) && !is_there(verdict.end, *line)) {
        page.section("it was at");
        page.text(place_name(line->file, line->line), {&Paint::place});
    }
    add_fixes(page, verdict);
    page.blank();
    std::vector<std::string> hints{"holdfast why " + verdict.run.id};
    hints.push_back(formatted("holdfast explain {}", verdict.root.cause->code));
    add_items(page, hints);
    return page.take();
}

}  // namespace

NotebookMessage notebook_message(const Verdict& verdict) {
    NotebookMessage words;
    const std::string cause = formatted("{} {}", verdict.end.cause->code, verdict.end.cause->slug);
    const std::string rest = root_and_place(verdict);
    words.headline = cause + ": " + headline_of_end(verdict) + rest;
    words.error = cause + rest;
    const std::string page = page_of(verdict, Style{88, true, true});
    for (const std::string_view line : split(page, '\n')) words.lines.emplace_back(line);
    while (!words.lines.empty() && words.lines.back().empty()) words.lines.pop_back();
    words.html = notebook_panel(verdict);
    words.plain = trim(page_of(verdict, Style{88, false, true}));
    if (const std::string figures = memory_figures(verdict.memory); !figures.empty())
        words.plain += "\n\n  " + figures;
    return words;
}

}  // namespace holdfast
