#include "diagnose/keeper.h"

#include "base/format.h"
#include "diagnose/inside.h"

namespace holdfast {
namespace {

// A cache of a library's own and a graph behind a tensor cannot be weighed, only counted.
constexpr std::uint64_t many = 8;

const KeeperEvidence* grown_most(const AgentEvidence& agent, Bytes leaked) {
    if (agent.keepers.empty()) return nullptr;
    const KeeperEvidence& first = agent.keepers.front();
    const bool counted = first.graphs || first.unweighed || first.kind == "lru_cache";
    const bool enough = counted ? first.items >= many : first.live.share_of(leaked) >= 0.25;
    return enough ? &first : nullptr;
}

std::string described(const KeeperEvidence& keeper) {
    if (keeper.kind == "ndarray" || keeper.kind == "Tensor" || keeper.kind == "bytearray")
        return formatted("{}, {}", keeper.kind, human(keeper.live));
    return formatted("{}, {} {}", keeper.kind, keeper.items,
                     keeper.kind == "DataFrame" || keeper.kind == "Series" ? "rows" : "items");
}

Fix fix_for(const KeeperEvidence& keeper) {
    const std::string& name = keeper.name;
    if (keeper.graphs)
        return {formatted("Keep numbers in `{}`, not tensors: each one keeps the graph that made "
                          "it.",
                          name),
                "loss.item()   # or: loss.detach()"};
    if (keeper.kind == "lru_cache")
        return {formatted("Give the cache of `{}` a bound.", name),
                "@functools.lru_cache(maxsize=1024)"};
    if (keeper.kind == "deque")
        return {formatted("Give `{}` a bound.", name), name + " = collections.deque(maxlen=1000)"};
    if (keeper.kind == "DataFrame" || keeper.kind == "Series")
        return {formatted("Write the parts of `{}` to disk as they come, instead of joining them "
                          "in memory.",
                          name),
                "part.to_parquet(f\"parts/{step}.parquet\")"};
    if (keeper.kind == "ndarray")
        return {formatted("Let `{}` have a fixed size, or lie in a file.", name),
                "numpy.lib.format.open_memmap(\"data.npy\", mode=\"w+\", shape=(n, d))"};
    if (keeper.kind == "list")
        return {formatted("Empty `{}` once it has served, or keep a summary of its items.", name),
                name + ".clear()"};
    return {formatted("Take out of `{}` what is no longer needed, or give it a bound.", name), {}};
}

}  // namespace

std::optional<Keeper> keeper_of(const AgentEvidence& agent, Bytes leaked) {
    const KeeperEvidence* seen = grown_most(agent, leaked);
    if (seen == nullptr) return std::nullopt;
    Keeper keeper{seen->name, seen->kind, seen->items, {}};
    if (seen->filled_at) keeper.where = Where{seen->file, seen->filled_at, {}, {}};
    return keeper;
}

void name_keeper(Finding& finding, const AgentEvidence& agent, Bytes leaked) {
    const KeeperEvidence* seen = grown_most(agent, leaked);
    finding.keeper = keeper_of(agent, leaked);
    if (seen == nullptr || !finding.keeper) return;
    const std::string filled =
        finding.keeper->where ? formatted(", filled at {}", short_place(*finding.keeper->where))
                              : "";
    finding.summary += formatted(" It is kept by `{}` ({}{}){}.", seen->name, described(*seen),
                                 seen->graphs ? ", tensors with their graphs" : "", filled);
    finding.evidence.push_back(
        {"kept by", formatted("{}: {}, grown by {} since the look before", seen->name,
                              described(*seen), human(seen->grown))});
}

void add_keeper(Finding& finding, const AgentEvidence& agent, Bytes leaked) {
    name_keeper(finding, agent, leaked);
    if (finding.keeper)
        finding.fixes.insert(finding.fixes.begin(), fix_for(*grown_most(agent, leaked)));
}

}  // namespace holdfast
