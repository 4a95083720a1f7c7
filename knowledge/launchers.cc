#include "knowledge/launchers.h"

#include <vector>

#include "base/text.h"
#include "knowledge/table.h"

namespace holdfast {
namespace {

const std::vector<knowledge::KnowledgeRow>& table() {
    static const std::vector<knowledge::KnowledgeRow> rows =
        knowledge::parse_table(knowledge::launchers_text);
    return rows;
}

std::string_view called(std::string_view name) {
    for (const knowledge::KnowledgeRow& row : table())
        if (row.section == "launcher" && row.fields[0] == name) return row.fields[1];
    return {};
}

}  // namespace

std::string_view program_in(std::string_view command) {
    const std::optional<std::string_view> word = next_word(command);
    if (!word) return {};
    std::string_view program = base_name(*word);
    // slurmstepd calls itself "slurmstepd: [42.0]", one word, which a command line has in quotes.
    if (program.starts_with('\'')) program.remove_prefix(1);
    if (program.ends_with(':')) program.remove_suffix(1);
    return program;
}

std::string_view launcher_in(std::string_view command) {
    const std::string_view program = program_in(command);
    if (!program.starts_with("python")) return called(program);
    std::optional<std::string_view> word = next_word(command);  // the program
    while ((word = next_word(command))) {
        if (*word == "-m") {
            word = next_word(command);
            return word ? called(*word) : std::string_view{};
        }
        if (!word->starts_with('-')) return called(base_name(*word));
    }
    return {};
}

const std::vector<std::string_view>& rank_variables() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> found;
        for (const knowledge::KnowledgeRow& row : table())
            if (row.section == "rank variable") found.emplace_back(row.fields[0]);
        return found;
    }();
    return names;
}

}  // namespace holdfast
