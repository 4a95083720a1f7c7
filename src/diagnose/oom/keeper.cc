#include "diagnose/oom/keeper.h"

namespace holdfast {
namespace {

// A library's own cache, and the graph behind a tensor, cannot be weighed: count their items.
constexpr std::uint64_t many = 8;

}  // namespace

const KeeperEvidence* keeper_seen(const AgentEvidence& agent, Bytes leaked) {
    if (agent.keepers.empty()) return nullptr;
    const KeeperEvidence& first = agent.keepers.front();
    const bool counted = first.graphs || first.unweighed || first.kind == "lru_cache";
    const bool enough = counted ? first.items >= many : first.live.share_of(leaked) >= 0.25;
    return enough ? &first : nullptr;
}

bool surely_leaks(const LeakEvidence& leak) {
    constexpr int enough_windows = 5;
    return leak.growth.per_step && leak.growth.windows >= enough_windows && !leak.borrowed &&
           !leak.several_lines;
}

std::optional<Keeper> keeper_of(const AgentEvidence& agent, Bytes leaked) {
    const KeeperEvidence* seen = keeper_seen(agent, leaked);
    if (seen == nullptr) return std::nullopt;
    Keeper keeper{seen->name, seen->kind, seen->items, {}};
    if (seen->filled_at) keeper.where = Where{seen->file, seen->filled_at, {}, {}};
    return keeper;
}

}  // namespace holdfast
