#include "supervise/role.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

using format::ProcessRole;

TEST(Role, TheCommandIsMain) {
    EXPECT_EQ(decide_role({.is_command = true}).role, ProcessRole::main);
}

TEST(Role, TheOneProgramOfAWrapperScriptIsMain) {
    RoleFacts facts{.only_child = true, .parent_role = ProcessRole::main};
    EXPECT_EQ(decide_role(facts).role, ProcessRole::main);
    facts.only_child = false;  // a second child beside it: which one counts cannot be told
    EXPECT_EQ(decide_role(facts).role, ProcessRole::helper);
}

TEST(Role, WhatPythonStartsIsAWorker) {
    EXPECT_EQ(decide_role({.only_child = true,
                           .parent_is_python = true,
                           .parent_role = ProcessRole::main})
                  .role,
              ProcessRole::worker);
}

TEST(Role, ARankIsToldFromTheWorkersThatInheritItsNumber) {
    const auto rank = decide_role({.parent_is_python = true, .rank = 3});
    EXPECT_EQ(rank.role, ProcessRole::rank);
    EXPECT_EQ(rank.rank, 3);
    const auto loader = decide_role({.parent_is_python = true,
                                     .parent_role = ProcessRole::rank,
                                     .rank = 3,
                                     .parent_rank = 3});
    EXPECT_EQ(loader.role, ProcessRole::worker);
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
