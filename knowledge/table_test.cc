#include "knowledge/table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "knowledge/exceptions.h"
#include "knowledge/telling_lines.h"

namespace holdfast::knowledge {
namespace {

using Fields = std::vector<std::string>;

TEST(Table, ReadsSectionsFieldsAndComments) {
    const auto rows = parse_table("# words\n\n[a]\none | two words |\n[b]\nthree\n");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].section, "a");
    EXPECT_EQ(rows[0].fields, (Fields{"one", "two words", ""}));
    EXPECT_EQ(rows[0].line, 4);
    EXPECT_EQ(rows[1].section, "b");
    EXPECT_EQ(rows[1].fields, Fields{"three"});
}

TEST(Table, KeepsWhatStandsInQuotes) {
    const auto rows = parse_table("\" a | b\\n\" | \"say \\\"x\\\"\" | c\n\"no end");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].fields, (Fields{" a | b\n", "say \"x\"", "c"}));
    EXPECT_EQ(rows[1].fields, Fields{"no end"});
}

struct Shape {
    const char* file;
    std::string_view text;
    std::size_t fields;
};

// What a row lacks would be a crash in the code that reads it.
TEST(Table, EveryRowOfOursHasItsFields) {
    for (const Shape& table :
         {Shape{"exceptions.txt", exceptions_text, 6},
          Shape{"telling_lines.txt", telling_lines_text, 6}, Shape{"places.txt", places_text, 3},
          Shape{"pauses.txt", pauses_text, 4}, Shape{"wrappers.txt", wrappers_text, 1}}) {
        const auto rows = parse_table(table.text);
        EXPECT_FALSE(rows.empty()) << table.file;
        for (const KnowledgeRow& row : rows) {
            const std::size_t more = row.fields.size() - table.fields;  // a proof may follow
            EXPECT_LE(more, 1U) << table.file << ":" << row.line;
            EXPECT_FALSE(row.section.empty()) << table.file << ":" << row.line;
        }
    }
}

TEST(Table, EveryWordOfOursIsKnown) {
    for (const KnowledgeRow& row : parse_table(exceptions_text))
        EXPECT_TRUE(row.fields[4] == "certain" || row.fields[4] == "likely")
            << "exceptions.txt:" << row.line;
    for (const KnowledgeRow& row : parse_table(telling_lines_text))
        EXPECT_TRUE(ends_named(row.fields[2])) << "telling_lines.txt:" << row.line;
    for (const KnowledgeRow& row : parse_table(places_text))
        EXPECT_TRUE(row.fields[0] == "ends" || row.fields[0] == "holds")
            << "places.txt:" << row.line;
}

TEST(ExceptionTable, HasSectionsByCause) {
    EXPECT_FALSE(exception_words("bad-label").empty());
    EXPECT_TRUE(exception_words("no-such-cause").empty());
}

}  // namespace
}  // namespace holdfast::knowledge
