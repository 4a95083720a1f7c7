#include "supervise/role.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

using format::ProcessRole;

TEST(Role, TheCommandIsMain) {
    RoleFacts facts;
    facts.is_command = true;
    EXPECT_EQ(decide_role(facts).role, ProcessRole::main);
}

TEST(Role, TheOneProgramOfAWrapperScriptIsMain) {
    RoleFacts facts;
    facts.only_child = true;
    facts.parent_is_wrapper = true;
    facts.parent_role = ProcessRole::main;
    EXPECT_EQ(decide_role(facts).role, ProcessRole::main);
    facts.parent_is_python = true;  // `conda run` is a wrapper written in Python
    EXPECT_EQ(decide_role(facts).role, ProcessRole::main);
    facts.only_child = false;  // with a second child, nobody can tell which one counts
    EXPECT_NE(decide_role(facts).role, ProcessRole::main);
}

TEST(Role, WhatANativeProgramStartsIsNotTheProgram) {
    RoleFacts facts;
    facts.only_child = true;
    facts.parent_role = ProcessRole::main;
    EXPECT_EQ(decide_role(facts).role, ProcessRole::helper);
}

TEST(Role, WhatPythonStartsIsAWorker) {
    RoleFacts facts;
    facts.only_child = true;
    facts.parent_is_python = true;
    facts.parent_role = ProcessRole::main;
    EXPECT_EQ(decide_role(facts).role, ProcessRole::worker);
}

TEST(Role, ARankIsToldFromTheWorkersThatInheritItsNumber) {
    RoleFacts facts;
    facts.parent_is_python = true;
    facts.rank = 3;
    EXPECT_EQ(decide_role(facts).role, ProcessRole::rank);
    EXPECT_EQ(decide_role(facts).rank, 3);
    facts.parent_role = ProcessRole::rank;
    facts.parent_rank = 3;
    EXPECT_EQ(decide_role(facts).role, ProcessRole::worker);
}

TEST(Role, KnowsPythonByItsExecutable) {
    EXPECT_TRUE(is_python("/usr/bin/python3.11"));
    EXPECT_TRUE(is_python("/opt/conda envs/x/bin/python"));
    EXPECT_TRUE(is_python("python3.13t"));
    EXPECT_FALSE(is_python("/usr/bin/python3-config"));
    EXPECT_FALSE(is_python("/usr/bin/bash"));
}

TEST(Role, ARankMustBeANumber) {
    EXPECT_EQ(rank_in({{"RANK", "7"}}), 7);
    EXPECT_EQ(rank_in({{"RANK", "high"}}), std::nullopt);
    EXPECT_EQ(rank_in({}), std::nullopt);
}

}  // namespace
}  // namespace holdfast
