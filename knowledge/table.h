// The tables of this folder: what libraries say and where they lie, as rows that anybody can add.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::knowledge {

struct KnowledgeRow {
    std::string section;
    std::vector<std::string> fields;
    int line = 0;  // of the file, counted from 1
};

// "[section]" begins one, "#" a comment, "|" parts the fields. A field in quotes keeps its spaces
// and bars, and \n in it is a new line.
std::vector<KnowledgeRow> parse_table(std::string_view text);

// The texts of the files, as compiled in.
extern const std::string_view exceptions_text, telling_lines_text, places_text, pauses_text,
    wrappers_text, launchers_text, schedulers_text, own_code_text;

}  // namespace holdfast::knowledge
