#include "supervise/role.h"

#include "base/text.h"

namespace holdfast {

using format::ProcessRole;

RoleDecision decide_role(const RoleFacts& facts) {
    if (facts.rank && facts.rank != facts.parent_rank) return {ProcessRole::rank, facts.rank};
    if (facts.is_command) return {ProcessRole::main, {}};
    const bool of_main = facts.parent_role == ProcessRole::main;
    if (of_main && facts.parent_is_wrapper && facts.only_child) return {ProcessRole::main, {}};
    if (facts.parent_is_python && !facts.parent_is_wrapper) return {ProcessRole::worker, {}};
    switch (facts.parent_role) {
    case ProcessRole::main: return {ProcessRole::helper, {}};
    case ProcessRole::worker:
    case ProcessRole::rank: return {ProcessRole::worker, {}};
    case ProcessRole::helper: return {ProcessRole::helper, {}};
    }
    return {};
}

bool is_python(std::string_view executable) {
    std::string_view name = base_name(executable);
    if (!name.starts_with("python") && !name.starts_with("pypy")) return false;
    name.remove_prefix(name.starts_with("python") ? 6 : 4);
    return name.find_first_not_of("0123456789.tdw-") == std::string_view::npos;
}

std::optional<int> rank_in(const std::vector<sources::EnvironValue>& environment) {
    for (const auto& variable : environment)
        if (const auto rank = parse_number<int>(variable.value); rank && *rank >= 0) return rank;
    return std::nullopt;
}

}  // namespace holdfast
