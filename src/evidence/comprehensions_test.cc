#include "evidence/comprehensions.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(Comprehensions, AreListsDictionariesAndSetsOverOneLineOrSeveral) {
    const std::vector<LineRange> found = comprehensions_in(
        "rows = [read(i) for i in range(9)]\n"
        "names = {n: len(n)\n"
        "         for n in rows}\n"
        "kinds = {type(n) for n in rows}\n");
    EXPECT_EQ(found, (std::vector<LineRange>{{1, 1}, {2, 3}, {4, 4}}));
}

TEST(Comprehensions, AreNotLoopsGeneratorsCallsOrText) {
    EXPECT_TRUE(comprehensions_in("for i in [1, 2]:\n    kept.append([i])\n").empty());
    EXPECT_TRUE(comprehensions_in("total = sum(len(x) for x in rows)\n").empty());
    EXPECT_TRUE(
        comprehensions_in("s = ['for sale', \"[x for x in y]\"]  # [x for x in y]\n").empty());
    EXPECT_TRUE(
        comprehensions_in("'''\n[x for x in y]\n'''\nperform = [before, format]\n").empty());
}

TEST(Comprehensions, MayStandInOneAnotherAndInOddText) {
    EXPECT_EQ(comprehensions_in("a = [[y for y in x] for x in z]\n").size(), 2U);
    EXPECT_EQ(comprehensions_in("a = f(g(x) for x in [\n 1 for _ in z])\n"),
              (std::vector<LineRange>{{1, 2}}));
    EXPECT_TRUE(comprehensions_in("]]}) 'open \n [x for x in").empty());
    EXPECT_TRUE(comprehensions_in("\"\\").empty());
}

AgentEvidence agent_at(std::string python, std::string file, int line) {
    AgentEvidence agent;
    agent.python = std::move(python);
    agent.memory.emplace();
    agent.memory->frames = {{std::move(file), line, "<module>"}};
    return agent;
}

TEST(Comprehensions, AreNamedWhereTheInterpreterHidesThem) {
    const SourceReader read = [](const std::string&) -> Result<std::string> {
        return std::string(
            "def main():\n    rows = [\n        read(i)\n        for i in z]\n    x = 1\n");
    };
    const auto name_of = [&](AgentEvidence agent) {
        name_comprehensions(agent, read);
        return agent.memory->frames.front().function;
    };
    EXPECT_EQ(name_of(agent_at("3.12.1", "/home/ann/train.py", 3)), "<listcomp>");
    EXPECT_EQ(name_of(agent_at("3.14.0", "/home/ann/train.py", 3)), "<listcomp>");
    EXPECT_EQ(name_of(agent_at("3.12.1", "/home/ann/train.py", 5)), "<module>");
    EXPECT_EQ(name_of(agent_at("3.11.7", "/home/ann/train.py", 3)), "<module>");
    EXPECT_EQ(name_of(agent_at("3.12.1", "/usr/lib/python3.12/json/decoder.py", 3)), "<module>");
}

}  // namespace
}  // namespace holdfast
