#include "present/kernels_table.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "present/style.h"
#include "present/wrap.h"

namespace holdfast {
namespace {

std::string padded(const std::string& text, int width) {
    return text +
           std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
}

}  // namespace

std::string kernels_table(const std::vector<KernelRow>& rows, const Style& style) {
    if (rows.empty()) return "no kernels found; install one: pip install ipykernel\n";
    const Paint paint(style);
    int name_width = 0;
    int shown_width = 0;
    for (const KernelRow& row : rows) {
        name_width = std::max(name_width, display_width(safe_line(row.name, style)));
        shown_width = std::max(shown_width, display_width(safe_line(row.display_name, style)));
    }
    shown_width = std::min(shown_width, style.width / 3);
    name_width = std::min(name_width, style.width / 3);
    std::string text;
    for (const KernelRow& row : rows) {
        const std::string name =
            padded(shorten(safe_line(row.name, style), name_width, style), name_width);
        const std::string shown =
            padded(shorten(safe_line(row.display_name, style), shown_width, style), shown_width);
        const int room = style.width - name_width - shown_width - 13;
        std::string line = formatted("{}  {}  {}", row.watched ? paint.good("watched") : "-      ",
                                     row.watched ? paint.strong(name) : name, shown);
        if (room >= 12)
            line += "  " + paint.faint(shorten_front(safe_line(row.folder, style), room, style));
        while (line.ends_with(' ')) line.pop_back();
        text += line + '\n';
    }
    return text;
}

std::string kernels_json(const std::vector<KernelRow>& rows) {
    Json list = Json::list();
    for (const KernelRow& row : rows)
        list.push_back(Json::object({{"name", printable(row.name)},
                                     {"display_name", printable(row.display_name)},
                                     {"folder", printable(row.folder)},
                                     {"watched", row.watched}}));
    return Json::object({{"schema", 1}, {"kernels", list}}).dump(2) + '\n';
}

}  // namespace holdfast
