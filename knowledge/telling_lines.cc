#include "knowledge/telling_lines.h"

#include <array>
#include <utility>
#include <vector>

#include "knowledge/table.h"

namespace holdfast {
namespace {

using enum TellingLine::Ends;

constexpr std::array<std::pair<std::string_view, TellingLine::Ends>, 5> names{
    {{"by_exception", by_exception},
     {"by_abort", by_abort},
     {"either", either},
     {"library_exits", library_exits},
     {"in_any_way", in_any_way}}};

std::vector<TellingLine> all() {
    std::vector<TellingLine> lines;
    for (knowledge::KnowledgeRow& row : knowledge::parse_table(knowledge::telling_lines_text)) {
        std::vector<std::string>& fields = row.fields;
        lines.push_back({.cause = row.section,
                         .text = std::move(fields[0]),
                         .also = std::move(fields[1]),
                         .ends = ends_named(fields[2]).value_or(by_exception),
                         .fix = std::move(fields[3]),
                         .code = std::move(fields[4])});
    }
    return lines;
}

}  // namespace

std::optional<TellingLine::Ends> ends_named(std::string_view name) {
    for (const auto& [known, ends] : names)
        if (known == name) return ends;
    return std::nullopt;
}

std::span<const TellingLine> telling_lines() {
    static const std::vector<TellingLine> lines = all();
    return lines;
}

}  // namespace holdfast
