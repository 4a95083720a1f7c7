#include "present/runs_table.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "present/style.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

struct Column {
    std::string_view title;
    int most;      // maximum width
    int optional;  // columns are dropped in this order if room is short; 0: never
    std::string (*cell)(const RunRow&);
};

std::string started(const RunRow& row) {
    std::string text = rfc3339(row.started_wall).substr(0, 16);
    if (text.size() == 16) text[10] = ' ';
    return text;
}
std::string took(const RunRow& row) { return row.duration ? human(*row.duration) : "-"; }
std::string outcome(const RunRow& row) { return row.live ? "running" : row.outcome; }
std::string id(const RunRow& row) { return row.id; }
std::string cause(const RunRow& row) { return row.cause.empty() ? "-" : row.cause; }
std::string what(const RunRow& row) {
    return row.name.empty() ? row.command : '[' + row.name + "] " + row.command;
}

constexpr Column all_columns[] = {
    {"RUN", 26, 0, id},          {"STARTED (UTC)", 16, 1, started}, {"TOOK", 12, 2, took},
    {"OUTCOME", 10, 0, outcome}, {"CAUSE", 22, 3, cause},           {"COMMAND", 1000, 0, what},
};
constexpr int good_command = 20;
constexpr int least_command = 8;

struct FittedColumns {
    std::vector<const Column*> columns;
    std::vector<int> widths;
};

// Makes the cells first, then computes widths. Drops columns until the command has enough room to
// be recognised.
FittedColumns lay_out(const std::vector<RunRow>& rows, const Style& style) {
    FittedColumns layout;
    for (const Column& column : all_columns) {
        int width = static_cast<int>(column.title.size());
        for (const RunRow& row : rows)
            width = std::max(width, display_width(safe_line(column.cell(row), style)));
        layout.columns.push_back(&column);
        layout.widths.push_back(std::min(width, column.most));
    }
    for (int drop = 1; drop <= 4; ++drop) {
        int left = style.width;
        for (std::size_t i = 0; i + 1 < layout.widths.size(); ++i) left -= layout.widths[i] + 2;
        layout.widths.back() = std::min(layout.widths.back(), std::max(left, 1));
        if (left >= good_command) break;
        for (std::size_t i = 0; i < layout.columns.size(); ++i)
            if (layout.columns[i]->optional == drop) {
                layout.columns.erase(layout.columns.begin() + static_cast<std::ptrdiff_t>(i));
                layout.widths.erase(layout.widths.begin() + static_cast<std::ptrdiff_t>(i));
                layout.widths.back() = 1000;
                break;
            }
    }
    int excess = least_command - style.width;
    for (std::size_t i = 0; i + 1 < layout.widths.size(); ++i) excess += layout.widths[i] + 2;
    if (excess > 0) {
        layout.widths.front() -= excess;
        layout.widths.back() = least_command;
    }
    return layout;
}

std::string painted(const Column& column, const std::string& text, const RunRow& row,
                    const Paint& paint) {
    if (column.cell == outcome) {
        if (row.live) return paint.label(text);
        return row.outcome == "finished" ? paint.good(text) : paint.bad(text);
    }
    return column.cell == what || column.cell == id ? text : paint.faint(text);
}

}  // namespace

std::string runs_table(const std::vector<RunRow>& rows, const Style& style) {
    if (rows.empty()) return "no runs recorded yet: start one with holdfast run -- COMMAND\n";
    const Paint paint(style);
    const FittedColumns layout = lay_out(rows, style);
    std::string table;
    const auto add_line = [&](auto&& cell_of) {
        std::string line;
        int gap = 0;
        for (std::size_t i = 0; i < layout.columns.size(); ++i) {
            const auto [text, shown] = cell_of(*layout.columns[i], layout.widths[i]);
            if (!text.empty()) line += std::string(static_cast<std::size_t>(gap), ' ') + shown;
            gap = (text.empty() ? gap : 0) + layout.widths[i] - display_width(text) + 2;
        }
        table += line + '\n';
    };
    using Cell = std::pair<std::string, std::string>;  // plain, painted
    add_line([&](const Column& column, int width) {
        const std::string title = shorten(column.title, width, style);
        return Cell{title, paint.strong(title)};
    });
    for (const RunRow& row : rows)
        add_line([&](const Column& column, int width) {
            const std::string text(trim(shorten(safe_line(column.cell(row), style), width, style)));
            return Cell{text, painted(column, text, row, paint)};
        });
    return table;
}

std::string runs_json(const std::vector<RunRow>& rows) {
    Json list = Json::list();
    for (const RunRow& row : rows) {
        Json run;
        run["id"] = printable(row.id);
        run["name"] = printable(row.name);
        run["command"] = printable(row.command);
        run["started"] = rfc3339(row.started_wall);
        run["duration_seconds"] = row.duration ? Json(seconds(*row.duration)) : Json(nullptr);
        run["outcome"] = printable(row.outcome);
        run["cause"] = row.cause.empty() ? Json(nullptr) : Json(printable(row.cause));
        run["live"] = row.live;
        run["directory"] = printable(row.directory);
        list.push_back(std::move(run));
    }
    Json document;
    document["schema"] = 1;
    document["runs"] = std::move(list);
    return document.dump(2) + '\n';
}

}  // namespace holdfast
