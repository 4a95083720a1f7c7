// The role of a process in the job, decided from what it is and who started it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/format.h"
#include "sources/pid_command.h"

namespace holdfast {

struct RoleFacts {
    bool is_command = false;
    bool only_child = false;  // its parent has no other living child
    bool parent_is_python = false;
    bool parent_is_wrapper = false;  // see knowledge/wrappers.h
    format::ProcessRole parent_role = format::ProcessRole::helper;
    std::optional<int> rank;         // in its own environment
    std::optional<int> parent_rank;  // its parent's: the workers of a rank inherit the variable
};

struct RoleDecision {
    format::ProcessRole role = format::ProcessRole::helper;
    std::optional<int> rank;
};

RoleDecision decide_role(const RoleFacts& facts);

// "python3.11", "/opt/conda/bin/python" and the like.
bool is_python(std::string_view executable);

// Of the values of rank_variables() (knowledge/launchers.h); nothing else of an environment is
// read.
std::optional<int> rank_in(const std::vector<sources::EnvironValue>& environment);

}  // namespace holdfast
