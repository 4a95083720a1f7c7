#include "evidence/source_line.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace holdfast {
namespace {

SourceReader holding(std::string text) {
    return [text](const std::string&) -> Result<std::string> { return text; };
}

TEST(SourceLine, CountsFromOneAndDropsIndentation) {
    const auto read = holding("import os\n    x = f(1)\r\nlast");
    EXPECT_EQ(source_line(read, "a.py", 1), "import os");
    EXPECT_EQ(source_line(read, "a.py", 2), "x = f(1)");
    EXPECT_EQ(source_line(read, "a.py", 3), "last");
}

TEST(SourceLine, IsEmptyBeyondTheFileAndForNoLine) {
    const auto read = holding("one\n");
    EXPECT_EQ(source_line(read, "a.py", 2), "");
    EXPECT_EQ(source_line(read, "a.py", 0), "");
    EXPECT_EQ(source_line(read, "a.py", -3), "");
    EXPECT_EQ(source_line({}, "a.py", 1), "");
}

TEST(SourceLine, MasksSecretsAndEscapes) {
    const auto read = holding("login(\"hf_abcdefghijklmnopqrstuvwxyzABCDEFGH\")  # \x1b[31mred\n");
    const std::string line = source_line(read, "a.py", 1);
    EXPECT_EQ(line.find("hf_abcdefghijkl"), std::string::npos) << line;
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST(SourceLine, IsBoundedWithoutSplittingACharacter) {
    std::string text = "x = '";
    while (text.size() < 5'000) text += "\xc3\xa4";
    const std::string line = source_line(holding(text), "a.py", 1);
    EXPECT_LE(line.size(), 200U);
    EXPECT_EQ(line.size() % 2, 1U);  // five bytes of ASCII, then whole characters of two bytes
}

class ReadSource : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "source_line.XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }
    std::string directory_;
};

TEST_F(ReadSource, ReadsARegularFile) {
    std::ofstream(directory_ + "/a.py") << "print(1)\n";
    EXPECT_EQ(read_source(directory_ + "/a.py").value(), "print(1)\n");
}

TEST_F(ReadSource, RefusesAPipeWithoutWaitingForAWriter) {
    ASSERT_EQ(::mkfifo((directory_ + "/pipe.py").c_str(), 0600), 0);
    EXPECT_FALSE(read_source(directory_ + "/pipe.py").ok());
}

TEST_F(ReadSource, RefusesWhatIsTooLargeToBeSource) {
    std::ofstream(directory_ + "/big.py") << "x";
    std::filesystem::resize_file(directory_ + "/big.py", source_size_limit + 1);
    EXPECT_FALSE(read_source(directory_ + "/big.py").ok());
}

}  // namespace

namespace {

TEST(FillingLine, IsTheOnlyOneThatPutsSomethingIn) {
    EXPECT_EQ(filling_line("history = []\nfor x in data:\n    history.append(x)\n", "history"), 3);
    EXPECT_EQ(
        filling_line("def f(self):\n    self.log[\"loss\"].append(1)\n", "self.log[\"loss\"]"), 2);
    EXPECT_EQ(filling_line("cache = {}\ncache[key] = value\n", "cache"), 2);
    EXPECT_EQ(filling_line("all = pd.concat([all, part])\n", "all"), 1);
    EXPECT_EQ(filling_line("total += part\n", "total"), 1);
}

TEST(FillingLine, IsNotToldWhereSeveralDoOrNone) {
    EXPECT_FALSE(filling_line("a.append(1)\na.append(2)\n", "a"));
    EXPECT_FALSE(filling_line("history = []\nprint(history)\n", "history"));
    EXPECT_FALSE(filling_line("if cache[key] == 1: pass\n", "cache"));
    EXPECT_FALSE(filling_line("my_history.append(1)\nhistory2.append(1)\n", "history"));
    EXPECT_FALSE(filling_line("x = 1  # history.append(x)\n", "history"));
    EXPECT_FALSE(filling_line("", ""));
}

}  // namespace

}  // namespace holdfast
