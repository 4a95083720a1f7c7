#include "knowledge/wrappers.h"

#include <algorithm>
#include <vector>

#include "knowledge/table.h"

namespace holdfast {

bool is_wrapper_program(std::string_view name) {
    static const std::vector<knowledge::KnowledgeRow> rows =
        knowledge::parse_table(knowledge::wrappers_text);
    return std::any_of(rows.begin(), rows.end(), [name](const knowledge::KnowledgeRow& row) {
        return row.fields[0] == name;
    });
}

}  // namespace holdfast
