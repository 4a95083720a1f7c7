#include "knowledge/table.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::knowledge {
namespace {

// One field, and `rest` behind the bar that ends it.
std::string next_field(std::string_view& rest) {
    rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
    if (!rest.starts_with('"')) {
        const std::size_t bar = std::min(rest.find('|'), rest.size());
        const std::string_view field = trim(rest.substr(0, bar));
        rest.remove_prefix(std::min(bar + 1, rest.size()));
        return std::string(field);
    }
    std::string field;
    std::size_t at = 1;
    for (; at < rest.size() && rest[at] != '"'; ++at) {
        const bool escaped = rest[at] == '\\' && at + 1 < rest.size();
        if (escaped) ++at;
        field += escaped && rest[at] == 'n' ? '\n' : rest[at];
    }
    rest.remove_prefix(std::min(at, rest.size()));
    rest.remove_prefix(std::min(std::min(rest.find('|'), rest.size()) + 1, rest.size()));
    return field;
}

}  // namespace

std::vector<KnowledgeRow> parse_table(std::string_view text) {
    std::vector<KnowledgeRow> rows;
    std::string section;
    int number = 0;
    while (const auto line = next_line(text)) {
        ++number;
        std::string_view rest = trim(*line);
        if (rest.empty() || rest.front() == '#') continue;
        if (rest.front() == '[' && rest.back() == ']') {
            section = rest.substr(1, rest.size() - 2);
            continue;
        }
        KnowledgeRow row{section, {}, number};
        const bool open = rest.back() == '|';  // the last field is empty
        while (!rest.empty()) row.fields.push_back(next_field(rest));
        if (open) row.fields.emplace_back();
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace holdfast::knowledge
