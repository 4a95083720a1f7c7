#include "knowledge/own_code.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "knowledge/table.h"

namespace holdfast {
namespace {

const std::map<std::string, CodeHome> homes{{"own", CodeHome::own},
                                            {"made-up", CodeHome::made_up},
                                            {"generated", CodeHome::generated},
                                            {"package", CodeHome::package},
                                            {"interpreter", CodeHome::interpreter}};

TEST(OwnCode, IsToldByTheNameOfItsFile) {
    std::ostringstream text;
    text << std::ifstream(HOLDFAST_FIXTURES "/own_code.txt").rdbuf();
    const auto rows = knowledge::parse_table(text.str());
    EXPECT_GT(rows.size(), 30U);
    for (const knowledge::KnowledgeRow& row : rows) {
        const std::string& file = row.fields.at(1);
        EXPECT_EQ(home_of_code(file.data(), file.size()), homes.at(row.fields[0])) << file;
    }
}

TEST(OwnCode, WithoutAFileIsNobodys) {
    EXPECT_FALSE(is_users(home_of_code("", 0)));
    EXPECT_FALSE(is_users(home_of_code("<", 1)));
    EXPECT_TRUE(is_users(home_of_code("/", 1)));
}

// The text of a row is itself a name that it fits, so no row before it may take that name.
TEST(OwnCode, NoRowHidesAnother) {
    for (const knowledge::KnowledgeRow& row : knowledge::parse_table(knowledge::own_code_text)) {
        const std::string& name = row.fields.at(1);
        EXPECT_EQ(home_of_code(name.data(), name.size()), homes.at(row.section)) << name;
    }
}

}  // namespace
}  // namespace holdfast
