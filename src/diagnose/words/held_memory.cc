// HF110, HF111, HF115 and HF203 in words: what grew, what was loaded, who keeps it.
#include <algorithm>

#include "base/format.h"
#include "diagnose/facts/held_memory.h"
#include "diagnose/growth/memory_lines.h"
#include "diagnose/oom/keeper.h"
#include "diagnose/words/account.h"
#include "diagnose/words/memory_fixes.h"
#include "diagnose/words/phrases.h"

namespace holdfast::facts {
namespace {

std::string amount(double bytes) {
    return human(Bytes{static_cast<std::uint64_t>(std::max(0.0, bytes))});
}

// "4.2 MiB a step"
std::string rate_of(const GrowthSeen& growth) {
    if (growth.per_step) return amount(*growth.per_step) + " a step";
    return amount(growth.per_minute) + " a minute";
}

// "+4.2 MiB (± 100 KiB) a step over 300 steps, 1.2 GiB in all"
std::string figures_of(const GrowthSeen& growth) {
    if (!growth.per_step)
        return formatted("+{} a minute over {} windows, {} in all", amount(growth.per_minute),
                         growth.windows, human(growth.in_all));
    return formatted("+{} (± {}) a step over {} steps, {} in all", amount(*growth.per_step),
                     amount(growth.per_step_error.value_or(0)), growth.steps.value_or(0),
                     human(growth.in_all));
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
    if (keeper.views)
        return {formatted("Copy what you put into `{}`: a slice is a view, and keeps the whole "
                          "array that it was cut from.",
                          name),
                "part = array[a:b].copy()   # a tensor: .clone()"};
    if (keeper.kind == "lru_cache")
        return {formatted("Limit the size of the cache of `{}`.", name),
                "@functools.lru_cache(maxsize=1024)"};
    if (keeper.kind == "deque")
        return {formatted("Limit the size of `{}`.", name),
                name + " = collections.deque(maxlen=1000)"};
    if (keeper.kind == "DataFrame" || keeper.kind == "Series")
        return {formatted("Write the parts of `{}` to disk as they come, instead of joining them "
                          "in memory.",
                          name),
                "part.to_parquet(f\"parts/{step}.parquet\")"};
    if (keeper.kind == "ndarray")
        return {formatted("Give `{}` a fixed size, or keep it in a file.", name),
                "numpy.lib.format.open_memmap(\"data.npy\", mode=\"w+\", shape=(n, d))"};
    if (keeper.kind == "list")
        return {formatted(
                    "Empty `{}` when it is no longer needed, or keep only a summary of its items.",
                    name),
                name + ".clear()"};
    return {formatted("Remove from `{}` what is no longer needed, or limit its size.", name), {}};
}

// Names the keeper: in the sentence and as evidence. Nothing without one.
const KeeperEvidence* name_keeper(Account& account, const AgentEvidence& agent, Bytes leaked) {
    const KeeperEvidence* seen = keeper_seen(agent, leaked);
    const std::optional<Keeper> keeper = keeper_of(agent, leaked);
    if (seen == nullptr || !keeper) return nullptr;
    const std::string filled =
        keeper->where ? formatted(", filled at {}", short_place(*keeper->where)) : "";
    const std::string_view more = seen->graphs  ? ", tensors with their graphs"
                                  : seen->views ? ", small views of larger arrays"
                                                : "";
    account.summary +=
        formatted(" It is kept by `{}` ({}{}){}.", seen->name, described(*seen), more, filled);
    account.saw("kept by", formatted("{}: {}, grown by {} since the previous look", seen->name,
                                     described(*seen), human(seen->grown)));
    return seen;
}

// The same, and adds what to do about it.
bool add_keeper(Account& account, const AgentEvidence& agent, Bytes leaked) {
    const KeeperEvidence* seen = name_keeper(account, agent, leaked);
    if (seen != nullptr) account.advise(fix_for(*seen));
    return seen != nullptr;
}

bool has_torch(const AgentEvidence& agent) {
    for (const NoteEvidence& note : agent.notes)
        if (note.kind == NoteEvidence::Kind::framework && note.text.starts_with("torch"))
            return true;
    return agent.steps.source.starts_with("torch");
}

// What only the collector could free: says so, and how to free it.
bool add_cycles(Account& account, const AgentEvidence& agent) {
    const NoteEvidence* off = collector_off(agent);
    if (off == nullptr) return false;
    account.summary +=
        " Holdfast found no name that reaches it, and Python's garbage collector was off: objects "
        "that refer to each other (parent and child, say) are then never freed.";
    account.saw("garbage collector",
                formatted("off; {} objects more were made than freed since it last ran", off->a));
    account.advise(
        "Leave the garbage collector on, or call it now and then. Or break the cycles: refer to "
        "the parent weakly, or delete the reference when it is no longer needed.",
        "gc.collect()   # after each epoch or search; or weakref.ref(parent)");
    return true;
}

// Spelled for the library that was loading.
Fix in_pieces(const AgentEvidence& agent, const std::string& place) {
    const std::string what =
        formatted("Read what {} loads in pieces, or map it instead of loading it.", place);
    const auto below = [&](std::string_view word) {
        return std::any_of(agent.place.begin(), agent.place.end(), [&](const Frame& frame) {
            return frame.function.find(word) != std::string::npos;
        });
    };
    if (below("read_csv"))
        return {what, "for part in pandas.read_csv(path, chunksize=100_000): ..."};
    if (below("read_parquet"))
        return {what, "for part in pyarrow.parquet.ParquetFile(path).iter_batches(): ..."};
    const auto keras =
        std::find_if(agent.notes.rbegin(), agent.notes.rend(), [](const NoteEvidence& note) {
            return note.kind == NoteEvidence::Kind::framework && note.text.starts_with("keras");
        });
    if (keras != agent.notes.rend())
        return {what, keras->text == "keras 2"
                          ? "class Data(tf.keras.utils.Sequence): ...   # one batch at a time"
                          : "class Data(keras.utils.PyDataset): ...   # one batch at a time"};
    const bool by_numpy =
        std::any_of(agent.place.begin(), agent.place.end(), [](const Frame& frame) {
            return frame.file.find("/numpy/") != std::string::npos &&
                   (frame.function == "load" || frame.function == "read_array");
        });
    return {what, by_numpy ? "numpy.load(path, mmap_mode=\"r\")" : ""};
}

Fix keep_numbers(const std::optional<KeptTensors>& kept) {
    return {formatted("Keep numbers, not tensors{}: each loss or output that you keep holds its "
                      "whole graph on the GPU.",
                      kept ? " in `" + kept->name + "`" : std::string()),
            "loss.item()   # or output.detach().cpu(), not the tensor itself"};
}

}  // namespace

void tell(const HostLeak& facts, const Autopsy&, Account& account) {
    const AgentEvidence& agent = *facts.agent;
    const LeakEvidence& leak = *agent.leak;
    const std::string place = short_place(facts.asking);
    account.summary =
        formatted("Memory requested at {} grew by {}, to {}, and was never freed.", place,
                  rate_of(leak.growth), human_with_error(leak.live, leak.error));
    account.saw("live memory", figures_of(leak.growth));
    if (!agent.steps.source.empty() && leak.growth.per_step)
        account.saw("steps", formatted("{}, counted by {}", agent.steps.count, agent.steps.source));
    if (leak.several_lines) account.saw("lines", "several below this one ask for it");
    if (leak.borrowed)
        account.saw(
            "threads",
            "threads without Python frames requested some of it while the main thread was here");
    if (add_keeper(account, agent, leak.growth.in_all) || add_cycles(account, agent)) return;
    account.advise(
        formatted("Find what keeps the objects that {} makes: a list, a dictionary or a cache "
                  "without a size limit. Clear it after each step, or limit its size.",
                  place));
    if (has_torch(agent))
        account.advise(
            "If losses or outputs are kept, keep numbers: each tensor of theirs keeps the graph "
            "that computed it.",
            "losses.append(loss.item())   # not: losses.append(loss)");
}

void tell(const HelperLeak& facts, const Autopsy&, Account& account) {
    const LeakEvidence& leak = *facts.agent->leak;
    const std::string name =
        formatted("{} (pid {})", facts.manager ? "a multiprocessing.Manager" : "a helper process",
                  facts.agent->pid);
    account.summary = formatted("The memory of {} grew by {}, to {}, and was never freed.", name,
                                rate_of(leak.growth), human_with_error(leak.live, leak.error));
    account.summary += facts.manager
                           ? " The manager's process keeps all that is put into its lists and "
                             "dictionaries."
                           : " It was requested by a library: no line of yours runs there.";
    account.saw("live memory of the process", figures_of(leak.growth));
    account.saw("requested at",
                short_place({facts.line.file, facts.line.line, facts.line.function, {}}));
    if (facts.manager)
        account.advise(
            "Take out of the manager's lists and dictionaries what is no longer needed, or keep "
            "it in files or in the process that uses it.",
            "while len(shared) > 1000: shared.pop(0)");
    else
        account.advise(formatted("Find what the process {} is given again and again, and keeps.",
                                 facts.agent->pid));
}

void tell(const GpuLeak& facts, const Autopsy&, Account& account) {
    const StepsEvidence& steps = facts.agent->steps;
    const std::optional<KeptTensors>& kept = facts.kept;
    const std::string last =
        steps.gpu_allocated_last ? ", to " + human(*steps.gpu_allocated_last) : std::string();
    const std::string keeper =
        kept ? formatted("; `{}` keeps {} tensors", kept->name, kept->count) : std::string();
    account.summary = formatted("Allocated GPU memory grew by {}{}, and was never freed{}.",
                                rate_of(*steps.gpu_growth), last, keeper);
    account.saw("GPU memory allocated", figures_of(*steps.gpu_growth));
    if (kept)
        account.saw("kept tensors",
                    formatted("{} in `{}`, {} of them with their graphs, after {} steps",
                              kept->count, kept->name, kept->graphs, steps.count));
    account.advise(keep_numbers(kept));
}

void tell(const KeptByLine& facts, const Autopsy& death, Account& account) {
    const std::string place = short_place(facts.asking);
    account.summary =
        formatted("Memory requested at {} rose again and again, to {} of the {} that {} held.",
                  place, human(std::min(facts.live, facts.peak)), human(facts.peak), who(death));
    account.saw("live memory",
                formatted("{} (± {}) at {}", human(facts.live), human(facts.error), place));
    account.saw("growth", formatted("it rose in {} time windows", facts.rises));
    if (!add_keeper(account, *facts.agent, facts.live) && !add_cycles(account, *facts.agent))
        account.advise(formatted(
            "Find what keeps the objects that {} makes, and clear it after each step.", place));
}

void tell(const LoadedByLine& facts, const Autopsy& death, Account& account) {
    const std::string place = short_place(facts.loading);
    account.summary =
        facts.filling
            ? formatted("{} requests {}; {} held {} when it ended, and was still filling it.",
                        place, human(facts.live), who(death), human(facts.peak))
            : formatted("{} holds {}, {:.0f} % of the memory of {}.", place, human(facts.live),
                        std::min(100.0, 100 * facts.live.share_of(facts.peak)), who(death));
    account.saw("live memory",
                formatted("{} (± {}) at {}", human(facts.live), human(facts.error), place));
    if (facts.borrowed)
        account.saw("threads",
                    "a library's threads requested it while the main thread waited here");
    if (facts.agent->steps.count > 0)
        account.saw("before the first steps", formatted("{} of it", human(facts.before_steps)));
    name_keeper(account, *facts.agent, facts.live);
    account.advise(in_pieces(*facts.agent, place));
    account.advise(load_within(death, "holdfast.Loader(path"));
}

void tell(const KeptByName& facts, const Autopsy& death, Account& account) {
    const KeeperEvidence& keeper = facts.agent->keepers.front();
    account =
        account_of(death, formatted("`{}` had grown to {} of the {} that {} held.", keeper.name,
                                    human(keeper.live), human(facts.peak), who(death)));
    add_keeper(account, *facts.agent, keeper.live);
}

void tell(const LoadedUnseen& facts, const Autopsy&, Account& account) {
    const std::string place = short_place(facts.loading);
    account.summary = formatted("While {} was loading, memory rose by {}, to {}.", place,
                                human(facts.risen), human(facts.peak));
    account.saw("memory in use", formatted("+{} during this call", human(facts.risen)));
    account.saw("allocations",
                formatted("Holdfast saw only {} of it being requested", human(facts.agent->live)));
    account.advise(in_pieces(*facts.agent, place));
}

void tell(const AskedAtOnce& facts, const Autopsy& death, Account& account) {
    const std::string place = short_place(facts.asking);
    const double share = facts.asked.share_of(facts.limit);
    account =
        account_of(death, share > 1 ? formatted("{} requested {} at once; the limit is {}.", place,
                                                human(facts.asked), human(facts.limit))
                                    : formatted("{} requested {} at once, {:.0f} % of the limit.",
                                                place, human(facts.asked), 100 * share));
    account.saw("request", formatted("{} of {}", human(facts.asked), human(facts.limit)));
    account.advise(
        formatted("Compute what {} asks for in pieces, or in a smaller type (float32).", place));
}

void tell(const WorkerCopies& facts, const Autopsy& death, Account& account) {
    account.summary = formatted(
        "Each of {} workers held about as much private memory as their parent, {}; together they "
        "filled {}.",
        facts.workers, human(facts.parent), human(facts.limit));
    account.saw("memory of the workers",
                formatted("{} each, on average, in {} workers",
                          human(Bytes{facts.copies.count / facts.workers}), facts.workers));
    account.saw("memory of the parent", human(facts.parent));
    if (facts.theirs > Bytes{})
        account.saw("limit", formatted("{}, full: {} of it can only be the workers' own",
                                       human(facts.limit), human(facts.theirs)));
    else
        account.saw("memory.stat",
                    formatted("anon {}: their pages are not shared", human(facts.anon)));
    account.advise(
        "Keep the data in arrays or tensors, not in lists of Python objects: reference counting "
        "writes to shared pages, and so copies them.",
        "self.items = numpy.array(items)");
    account.advise("Use fewer workers.", fewer_workers(death));
    account.advise(load_within(death, "holdfast.Loader.like(dataloader"));
}

void tell(const LoadedInEachWorker& facts, const Autopsy& death, Account& account) {
    const Bytes each{facts.held.count / facts.workers};
    account.summary = formatted(
        "{} workers each hold memory of their own that {} requested, {} on average; together {} of "
        "{}.",
        facts.workers, short_place(facts.where), human(each), human(facts.held),
        human(facts.limit));
    account.saw("memory of the workers",
                formatted("{} in {} workers, at the same line", human(facts.held), facts.workers));
    account.advise("Use fewer workers.", fewer_workers(death));
    account.advise(
        "Let the workers share the data: map it from a file instead of loading it in each.",
        "numpy.load(path, mmap_mode=\"r\")");
    account.advise(load_within(death, "holdfast.Loader.like(dataloader"));
}

}  // namespace holdfast::facts
