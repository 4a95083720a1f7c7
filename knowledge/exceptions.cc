#include "knowledge/exceptions.h"

#include <map>
#include <vector>

#include "knowledge/table.h"

namespace holdfast {
namespace {

using Sections = std::map<std::string, std::vector<ExceptionWords>, std::less<>>;

Sections by_cause() {
    Sections sections;
    for (knowledge::KnowledgeRow& row : knowledge::parse_table(knowledge::exceptions_text)) {
        std::vector<std::string>& fields = row.fields;
        const bool certain = fields[4] == "certain";
        sections[row.section].push_back(
            {.type = std::move(fields[0]),
             .text = std::move(fields[1]),
             .also = std::move(fields[2]),
             .below = std::move(fields[3]),
             .confidence = certain ? Confidence::certain : Confidence::likely});
    }
    return sections;
}

}  // namespace

std::span<const ExceptionWords> exception_words(std::string_view cause) {
    static const Sections sections = by_cause();
    const auto found = sections.find(cause);
    if (found == sections.end()) return {};
    return found->second;
}

}  // namespace holdfast
