// HF111 and HF115: the data itself is too large, once in one line or once in every worker.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include "base/time.h"
#include "diagnose/death/place.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/death/worker_end.h"
#include "diagnose/facts/held_memory.h"
#include "diagnose/growth/memory_lines.h"
#include "diagnose/oom/keeper.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/oom/refusal.h"
#include "diagnose/rules/rules.h"
#include "model/own_code.h"

namespace holdfast::rules {
namespace {

constexpr std::uint64_t at_once = 32;  // up to this many blocks may be one load

struct Holding {
    Where where;
    Bytes live;
    Bytes error;
    Bytes before_steps;
    bool before_known = true;
    bool grows = false;
    bool grows_by_steps = false;
    bool works = false;  // the line waits for a model's training, which is not loading
    bool loads = false;  // a name around the line says that it loads, prepares or collects
    bool reads = false;  // a name says for certain that it loads
    bool prepares = false;
    bool borrowed = false;  // asked for by a library's threads while the main thread waited here
    std::uint64_t blocks = 0;
    Bytes in_few_blocks;               // the most that one site of few blocks holds
    Bytes in_library;                  // asked for by a library's Python code, called here
    int rises = 0;                     // the windows in which one of its sites rose
    std::optional<GrowthSeen> growth;  // of its site that grew most
    std::size_t depth = 0;             // of a caller: its depth in the stack, from outside
};

using Lines = std::map<std::pair<std::string, int>, Holding>;

void add(Holding& line, const SiteEvidence& site, const std::vector<Frame>& frames, std::size_t at,
         bool borrowed) {
    const Frame& own = frames[at];
    line.where = {own.file, own.line, own.function, {}};
    line.live += site.live;
    line.error += site.error;
    line.before_steps += site.before_steps.value_or(Bytes{});
    line.before_known = line.before_known && site.before_steps.has_value();
    line.grows = line.grows || site.growth.has_value();
    line.grows_by_steps = line.grows_by_steps || (site.growth && site.growth->per_step);
    const CallKind kind = kind_of_call(frames, at);
    line.works = line.works || kind == CallKind::works;
    line.reads = line.reads || kind == CallKind::loads;
    line.prepares = line.prepares || kind == CallKind::prepares;
    line.loads = line.loads || line.reads || line.prepares || kind == CallKind::collects;
    line.borrowed = line.borrowed || (borrowed && site.live.share_of(line.live) > 0.5);
    // The agent does not count small objects one by one, but there are always many.
    line.blocks += site.small_objects ? at_once + 1 : site.blocks;
    if (!site.small_objects && site.blocks <= at_once)
        line.in_few_blocks = std::max(line.in_few_blocks, site.live);
    if (!borrowed && at + 1 < frames.size()) line.in_library += site.live;
    line.rises = std::max(line.rises, site.rises.value_or(0));
    if (site.growth && (!line.growth || site.growth->in_all > line.growth->in_all))
        line.growth = site.growth;
}

// What the lines of the user's own code hold: the lines that asked for it, and the lines that
// called them.
struct LinesHolding {
    Lines asking, calling;
};

LinesHolding holdings_of(const AgentEvidence& agent) {
    LinesHolding all;
    for (const SiteEvidence& site : agent.sites) {
        // A library's own threads have no frame of the user's: use the main thread's line instead.
        const bool borrowed = innermost_own_frame(site.frames) == nullptr && !site.frames.empty();
        const std::vector<Frame>& frames = borrowed ? agent.place : site.frames;
        const Frame* own = innermost_own_frame(frames);
        if (own == nullptr || !own->line) continue;
        const auto innermost = static_cast<std::size_t>(own - frames.data());
        add(all.asking[{own->file, *own->line}], site, frames, innermost, borrowed);
        for (std::size_t i = 0; i < innermost; ++i)
            if (frames[i].line && is_own_code(frames[i].file)) {
                Holding& line = all.calling[{frames[i].file, *frames[i].line}];
                add(line, site, frames, i, borrowed);
                line.depth = std::max(line.depth, i + 1);
            }
    }
    return all;
}

std::optional<Holding> largest_holding(const AgentEvidence& agent, const Lines& lines) {
    const Holding* largest = nullptr;
    for (const auto& [place, line] : lines)
        if (largest == nullptr || line.live > largest->live) largest = &line;
    if (largest == nullptr) return std::nullopt;
    // A full copy is as large as the original: prefer the line that was making the copy.
    const double as_large = largest->loads ? 0.95 : 0.8;
    for (const auto& [place, line] : lines)
        if (line.live.share_of(largest->live) > as_large &&
            was_at(agent, line.where.file, line.where.line))
            largest = &line;
    return *largest;
}

// If several lines below one call share what it holds, take the innermost call that has nearly all
// of it.
std::optional<Holding> innermost_call(const Lines& calls) {
    const Holding* largest = nullptr;
    for (const auto& [place, line] : calls)
        if (largest == nullptr || line.live > largest->live) largest = &line;
    if (largest == nullptr) return std::nullopt;
    const Holding* best = largest;
    for (const auto& [place, line] : calls)
        if (line.live.share_of(largest->live) > 0.8 && line.depth > best->depth) best = &line;
    return *best;
}

// The memory that was full when the kernel killed the program or its worker: the limit, or the
// machine's memory.
std::optional<Bytes> what_was_filled(const Autopsy& death) {
    const bool own = death.oom_kill || !death.fatal_child;
    const std::optional<OomKill>& kill = own ? death.oom_kill : death.fatal_child->death->oom_kill;
    if (!kill) return std::nullopt;
    return kill->level != nullptr ? kill->level->limit : death.all.host.total;
}

// In a small process one line may hold most of the memory and still not be what filled the limit.
bool too_little_to_matter(const Autopsy& death, Bytes live, double least = 0.3) {
    const std::optional<Bytes> whole = what_was_filled(death);
    return whole && live.share_of(*whole) < least;
}

// Whether a container that a name reaches grows item by item. Then this is neither one load nor one
// model being trained, whatever the calling functions are named.
bool grows_by_items(const AgentEvidence& agent) {
    if (agent.keepers.empty()) return false;
    const KeeperEvidence& keeper = agent.keepers.front();
    for (const char* kind : {"list", "dict", "lru_cache", "deque", "set"})
        if (keeper.kind == kind) return keeper.items >= 8;
    return false;
}

// "Trial._by_name" is a registry of all instances: no single instance loads it.
bool belongs_to_a_class(const std::string& keeper) {
    const std::size_t dot = keeper.find('.');
    if (dot == std::string::npos || dot < 2) return false;
    const auto is_upper = [&](std::size_t at) { return keeper[at] >= 'A' && keeper[at] <= 'Z'; };
    return is_upper(0) && !is_upper(1);
}

// "_CACHE", "Reader.cached": what is loaded into it is kept for the next time.
bool is_named_cache(std::string_view keeper) {
    std::string name(keeper);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name.find("cache") != std::string::npos;
}

// Whether what the line loads stays, although names around it say that it loads data: a data set is
// loaded by one call, into a list that no name reaches before the call returns.
bool fills_what_stays(const Holding& line, const AgentEvidence& agent) {
    if (!grows_by_items(agent)) return false;
    const KeeperEvidence& keeper = agent.keepers.front();
    if (keeper.kind == "lru_cache" || is_named_cache(keeper.name)) return true;
    // Of what was loaded, only small parts were meant to stay.
    if (keeper.views && keeper.live.share_of(line.live) >= 0.25) return true;
    if (line.reads || keeper.live.share_of(line.live) < 0.25) return false;
    return !line.prepares || belongs_to_a_class(keeper.name);
}

// A block for each step and none before the first: the program keeps what each step makes.
bool one_for_each_step(const Holding& line, const AgentEvidence& agent) {
    constexpr std::uint64_t enough = 8;
    const std::uint64_t steps = agent.steps.count;
    return steps >= enough && line.blocks >= steps - steps / 5 && line.before_known &&
           line.before_steps.count == 0;
}

// The call had not returned, so what it collects is no leak. In a loop of the program's own, a name
// would reach what it keeps.
bool in_one_call(const Holding& line, const AgentEvidence& agent) {
    if (agent.steps.count > 0 || !was_at(agent, line.where.file, line.where.line)) return false;
    if (line.growth && was_one_call(agent, *line.growth)) return true;
    if (grows_by_items(agent) ||
        (!agent.keepers.empty() && agent.keepers.front().filled_at == line.where.line))
        return false;
    return line.in_library.share_of(line.live) > 0.5;
}

// Much memory in many pieces, over a long time: a loop that keeps what it makes. A loop that loads
// looks the same, except for the names around it; and it comes before the steps.
bool kept_piece_by_piece(const Holding& line, const AgentEvidence& agent) {
    constexpr int again_and_again = 4;
    if (line.loads && !fills_what_stays(line, agent)) return false;
    if (line.works && !grows_by_items(agent)) return false;
    if (line.rises < again_and_again || in_one_call(line, agent)) return false;
    // A site of few blocks counts only by its share: other sites at the line may have many.
    const bool in_pieces = line.blocks > at_once && line.in_few_blocks.share_of(line.live) <= 0.5;
    if (!in_pieces && !one_for_each_step(line, agent)) return false;
    return agent.steps.count == 0 ||
           (line.before_known && line.before_steps.share_of(line.live) < 0.3);
}

// A container that still grew during the steps was not loaded before them.
bool grew_with_steps(const Holding& line, const AgentEvidence& agent) {
    if (!grows_by_items(agent) || !agent.steps.first) return false;
    const KeeperEvidence& keeper = agent.keepers.front();
    return keeper.time > *agent.steps.first && keeper.grown.count > 0 &&
           keeper.live.share_of(line.live) >= 0.25;
}

// frames = concat([frames, more]): the line replaces one block by a larger one, again and again.
bool replaced_by_larger(const Holding& line, const AgentEvidence& agent) {
    constexpr int again_and_again = 4;
    if (line.loads || line.works || agent.keepers.empty() || line.rises < again_and_again)
        return false;
    const KeeperEvidence& keeper = agent.keepers.front();
    return keeper.grown.count > 0 && keeper.filled_at == line.where.line &&
           keeper.live.share_of(line.live) >= 0.25;
}

// bank = cat([bank, keys]): the same without a known name, recognised by its rate per step.
bool grows_at_a_rate(const Holding& line) {
    constexpr int again_and_again = 4;
    return line.grows_by_steps && !line.loads && !line.works && line.rises >= again_and_again;
}

// One request for more than the whole limit, which was being filled.
bool asked_for_more_than_all(const Autopsy& death, const Holding& line) {
    const std::optional<Bytes> whole = what_was_filled(death);
    return whole && line.in_few_blocks > *whole;
}

// What is made from a table is as large as the table, but belongs to another line. If each line
// alone is too small to explain the end, prefer the one that loads.
std::optional<Holding> largest_load(const Lines& lines, Bytes least) {
    const Holding* largest = nullptr;
    for (const auto& [place, line] : lines)
        if (line.loads && !line.works && line.live >= least &&
            (largest == nullptr || line.live > largest->live))
            largest = &line;
    return largest == nullptr ? std::nullopt : std::optional(*largest);
}

std::optional<Holding> largest_growing(const Lines& lines) {
    const Holding* largest = nullptr;
    for (const auto& [place, line] : lines)
        if (line.grows && !line.works && (largest == nullptr || line.live > largest->live))
            largest = &line;
    return largest == nullptr ? std::nullopt : std::optional(*largest);
}

std::optional<Finding> held_by_a_line(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    if (agent == nullptr || agent->leak) return std::nullopt;
    const std::optional<Bytes> peak = death.held;
    const LinesHolding holdings = holdings_of(*agent);
    std::optional<Holding> line = largest_holding(*agent, holdings.asking);
    if (!line || !peak) return std::nullopt;
    // Frameworks alone hold hundreds of MiB. So a line that only rises, or whose name says that it
    // loads, counts even with less than half.
    constexpr double least_kept = 0.3;
    bool several_lines = false;
    bool kept = kept_piece_by_piece(*line, *agent) || grew_with_steps(*line, *agent) ||
                replaced_by_larger(*line, *agent) || grows_at_a_rate(*line);
    // With a rate per step it is known which line keeps the memory, however much others hold.
    constexpr double least_growing = 0.15;
    if (kept && line->live.share_of(*peak) < least_kept) {
        if (const std::optional<Holding> growing = largest_growing(holdings.asking);
            growing && growing->live.share_of(*peak) >= least_growing) {
            line = growing;
        } else {
            const std::optional<Holding> call = innermost_call(holdings.calling);
            kept = call && kept_piece_by_piece(*call, *agent);
            if (kept) line = call;
            several_lines = kept;
        }
    }
    constexpr double least_loaded = 0.3;
    if (!kept && line->live.share_of(*peak) < 0.5)
        if (std::optional<Holding> load = largest_load(
                holdings.asking,
                Bytes{static_cast<std::uint64_t>(static_cast<double>(peak->count) * least_loaded)}))
            line = load;
    if (line->works && !kept) return std::nullopt;
    const double least_of_kept = line->grows ? least_growing : least_kept;
    const double least = kept ? least_of_kept : line->loads ? least_loaded : 0.5;
    if (line->live.share_of(*peak) < least) return std::nullopt;
    if (line->error.share_of(line->live) > 0.25) return std::nullopt;
    if (too_large_without(death, line->live)) return std::nullopt;
    // An estimate can exceed resident memory only a little. If it exceeds it by much, the memory
    // was never touched or was still being filled.
    const bool filling = line->live.share_of(*peak) > 1.5;
    if (filling && !was_at(*agent, line->where.file, line->where.line)) return std::nullopt;
    if (!filling && too_little_to_matter(death, line->live)) return std::nullopt;
    const bool stepped = agent->steps.count > 0;
    if (kept) {
        Finding finding = finding_about(
            death, "host-leak"_cause, Confidence::likely,
            facts::KeptByLine{agent, line->where, line->live, line->error, *peak, line->rises});
        finding.where = line->where;
        finding.topic = Topic::held_memory;
        finding.keeper = keeper_of(*agent, line->live);
        const bool views = finding.keeper && agent->keepers.front().views;
        if ((several_lines || views) && finding.keeper && finding.keeper->where)
            finding.where = finding.keeper->where;
        return finding;
    }
    // Memory that a step allocates and frees is not loaded data.
    if (stepped && !(filling && asked_for_more_than_all(death, *line)) &&
        (line->grows || !line->before_known || line->before_steps.share_of(line->live) < 0.7))
        return std::nullopt;
    const bool before_all_steps = stepped && line->before_steps.share_of(line->live) >= 0.7;
    Finding finding =
        finding_about(death, "dataset-in-ram"_cause,
                      before_all_steps && !line->borrowed && line->live.share_of(*peak) >= 0.7
                          ? Confidence::certain
                          : Confidence::likely,
                      facts::LoadedByLine{agent, line->where, line->live, line->error,
                                          line->before_steps, *peak, filling, line->borrowed});
    finding.where = line->where;
    finding.keeper = keeper_of(*agent, line->live);
    return finding;
}

// What a name reaches grew at every look and takes much memory, but no single line holds most of
// it.
std::optional<Finding> kept_by_a_name(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    const std::optional<Bytes> peak = death.held;
    if (agent == nullptr || agent->leak || !peak || agent->keepers.empty()) return std::nullopt;
    const KeeperEvidence& keeper = agent->keepers.front();
    // What a framework holds before the first step does not count.
    const bool in_steps = agent->steps.first && keeper.time > *agent->steps.first;
    if (keeper.live.share_of(*peak) < (in_steps ? 0.15 : 0.25) || keeper.grown.count == 0)
        return std::nullopt;
    // A block that was made once did not grow. held_by_a_line handles one that is replaced by a
    // larger one.
    if (keeper.kind == "ndarray" || keeper.kind == "Tensor") return std::nullopt;
    if (keeper.kind == "DataFrame" && keeper.grown >= keeper.live) return std::nullopt;
    if (too_large_without(death, keeper.live) || too_little_to_matter(death, keeper.live, 0.15))
        return std::nullopt;
    Finding finding = finding_about(death, "host-leak"_cause, Confidence::likely,
                                    facts::KeptByName{agent, *peak});
    finding.topic = Topic::held_memory;
    if (keeper.filled_at) finding.where = Where{keeper.file, keeper.filled_at, {}, {}};
    if (!finding.where) finding.where = death.was_at;
    finding.keeper = keeper_of(*agent, keeper.live);
    return finding;
}

// How far the memory in use rose after a moment.
Bytes risen_since(const Evidence& all, RunTime moment) {
    Bytes before;
    Bytes most;
    for (const CurvePoint& point : all.memory.curve) {
        if (point.time <= moment) before = point.used;
        most = std::max(most, point.used);
    }
    return most - before;
}

// Some readers (Arrow's, Rust's) have allocators of their own that ask the kernel directly. Then no
// line holds the memory, but all of it came while the main thread was in one call that loads.
std::optional<Finding> loaded_unseen(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    if (agent == nullptr || !death.decides || agent->leak || agent->steps.count > 0 ||
        !agent->place_time)
        return std::nullopt;
    const std::optional<Bytes> peak = death.held;
    const Frame* own = innermost_own_frame(agent->place);
    const std::optional<Where> last = death.was_at;
    if (!peak || own == nullptr || !own->line || !last || last->line != own->line ||
        agent->live.share_of(*peak) >= 0.5)
        return std::nullopt;
    const auto at = static_cast<std::size_t>(own - agent->place.data());
    const Bytes risen = risen_since(death.all, *agent->place_time);
    const CallKind kind = kind_of_call(agent->place, at);
    if (kind == CallKind::other || kind == CallKind::works || risen.share_of(*peak) < 0.5)
        return std::nullopt;
    // Without a limit the curve is the whole machine's: other programs grew.
    if (risen > *peak) return std::nullopt;
    Finding finding = finding_about(death, "dataset-in-ram"_cause, Confidence::likely,
                                    facts::LoadedUnseen{agent, *last, risen, *peak});
    finding.where = last;
    return finding;
}

// The guard refused one array that alone is more than the limit, or most of it.
std::optional<Finding> refused_at_once(const Autopsy& death, double least_share) {
    const AgentEvidence* agent = death.agent;
    // A worker's error may end its parent, and leave no last words of its own.
    if ((death.decides && !death.refusal) || agent == nullptr || !agent->guard ||
        agent->guard->refused == 0)
        return std::nullopt;
    const RefusalEvidence& last = agent->guard->last;
    if (last.asked.share_of(last.limit) < least_share || last.asked <= last.room)
        return std::nullopt;
    const std::optional<Where> where = own_place(last.frames);
    if (!where) return std::nullopt;
    Finding finding = finding_about(death, "dataset-in-ram"_cause, Confidence::likely,
                                    facts::AskedAtOnce{*where, last.asked, last.limit});
    finding.where = where;
    return finding;
}

// A block larger than the whole limit, at the line where the program was. It may hold little,
// because only touched pages count as held.
std::optional<Finding> asked_for_too_much(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    const std::optional<Bytes> whole = what_was_filled(death);
    if (agent == nullptr || agent->leak || !death.decides || !whole) return std::nullopt;
    for (const SiteEvidence& site : agent->sites) {
        if (site.small_objects || site.blocks > at_once || site.peak <= *whole) continue;
        const std::optional<Where> where = own_place(site.frames);
        if (!where || !was_at(*agent, where->file, where->line)) continue;
        const auto at = innermost_own_frame(site.frames) - site.frames.data();
        if (kind_of_call(site.frames, static_cast<std::size_t>(at)) == CallKind::works) continue;
        Finding finding = finding_about(death, "dataset-in-ram"_cause, Confidence::likely,
                                        facts::AskedAtOnce{*where, site.peak, *whole});
        finding.where = where;
        return finding;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Finding> dataset_in_ram(const Autopsy& death) {
    // An idle kernel took its memory long ago: somebody else filled the limit.
    if (was_idle_kernel(death)) return std::nullopt;
    // A request larger than the limit fails whatever was held before.
    if (std::optional<Finding> asked = refused_at_once(death, 1)) return asked;
    if (std::optional<Finding> held = held_by_a_line(death)) return held;
    if (std::optional<Finding> unseen = loaded_unseen(death)) return unseen;
    if (std::optional<Finding> asked = asked_for_too_much(death)) return asked;
    if (std::optional<Finding> kept = kept_by_a_name(death)) return kept;
    return death.agent == nullptr || death.agent->leak ? std::nullopt : refused_at_once(death, 0.5);
}

// The line at which two or more workers hold most of their memory.
std::optional<Where> line_of_workers(const Evidence& all) {
    std::map<std::pair<std::string, int>, int> workers;
    for (const AgentEvidence& agent : all.agents) {
        const ProcessEvidence* process = all.process(agent.pid);
        if (process == nullptr || process->role != Role::worker) continue;
        const std::optional<Where> where = where_it_holds_most(agent);
        if (where && where->line && agent.live >= Bytes::mib(16) &&
            ++workers[{where->file, *where->line}] >= 2)
            return where;
    }
    return std::nullopt;
}

// The line whose data is copied: the one that holds most in the parent, if that is a large part.
std::optional<Where> line_of_data(const Autopsy& death, Bytes held) {
    if (death.agent == nullptr) return std::nullopt;
    const std::optional<Holding> line =
        largest_holding(*death.agent, holdings_of(*death.agent).asking);
    if (!line || line->live.share_of(held) < 0.15) return std::nullopt;
    return line->where;
}

std::optional<Bytes> smallest_limit(const CgroupEvidence& cgroup) {
    std::optional<Bytes> limit;
    for (const CgroupLevel& level : cgroup.levels)
        if (level.limit && (!limit || *level.limit < *limit)) limit = level.limit;
    return limit;
}

// Spawned workers share nothing with their parent: each holds data of its own, allocated at the
// same line.
std::optional<Finding> loaded_in_each_worker(const Autopsy& death) {
    const CgroupEvidence* cgroup = death.cgroup();
    const std::optional<Bytes> limit = cgroup != nullptr ? smallest_limit(*cgroup) : std::nullopt;
    if (!death.decides || !limit) return std::nullopt;
    const Autopsy& first = death.fatal_child ? *death.fatal_child->death : death;
    constexpr Nanos moment{1'000'000'000};
    struct Sum {
        Where where;
        std::uint64_t workers = 0;
        Bytes held;
    };
    std::map<std::pair<std::string, int>, Sum> sums;
    for (const AgentEvidence& agent : death.all.agents) {
        const ProcessEvidence* process = death.all.process(agent.pid);
        if (process == nullptr || process->role != Role::worker || !process->anon) continue;
        if (process->ended && (!first.time || later(*process->ended, moment) < *first.time))
            continue;
        if (agent.leak) return std::nullopt;
        const std::optional<Holding> line = largest_holding(agent, holdings_of(agent).asking);
        if (!line || line->live.share_of(agent.live) < 0.5) continue;
        // Memory that grows in each worker is a leak, not data.
        if (grows_by_items(agent) || kept_piece_by_piece(*line, agent)) return std::nullopt;
        // Not all of the requested memory may have been touched yet.
        const Bytes held = std::min(line->live, *process->anon);
        if (held < Bytes::mib(16) || held.share_of(*process->anon) < 0.5) continue;
        Sum& sum = sums[{line->where.file, *line->where.line}];
        sum.where = line->where;
        ++sum.workers;
        sum.held += held;
    }
    for (const auto& [line, sum] : sums) {
        if (sum.workers < 2 || sum.held.share_of(*limit) < 0.5) continue;
        Finding finding =
            finding_about(death, "worker-copies"_cause, Confidence::likely,
                          facts::LoadedInEachWorker{sum.where, sum.workers, sum.held, *limit});
        finding.where = sum.where;
        return finding;
    }
    return std::nullopt;
}

// A page that parent and child still share counts in both processes, but once in the cgroup. So if
// the two sums agree, the pages are copies.
std::optional<Finding> copied_from_parent(const Autopsy& death) {
    const CgroupEvidence* cgroup = death.cgroup();
    const ProcessEvidence* main = death.all.main();
    if (!death.decides || cgroup == nullptr || !cgroup->anon || cgroup->levels.empty() ||
        main == nullptr || !main->anon)
        return std::nullopt;
    const std::optional<Bytes> limit = smallest_limit(*cgroup);
    if (!limit || main->anon->share_of(*limit) < 0.05) return std::nullopt;
    // A parent may outlive its workers by far, so count those that lived when the first one died.
    const Autopsy& first = death.fatal_child ? *death.fatal_child->death : death;
    constexpr Nanos moment{1'000'000'000};
    std::uint64_t workers = 0;
    Bytes copies;
    Bytes others;
    Bytes sum = *main->anon;
    Bytes unshared =
        *main->anon;  // at least: what a worker has beyond its parent's size is its own
    for (const ProcessEvidence& process : death.all.processes) {
        if (process.pid == main->pid || !process.anon || process.parent != main->pid) continue;
        if (process.ended && (!first.time || later(*process.ended, moment) < *first.time)) continue;
        sum += *process.anon;
        // A worker much smaller than the parent does not hold its data, and a much larger one has
        // data of its own. A worker that copies shared data itself holds it twice.
        const double share = process.anon->share_of(*main->anon);
        if (process.role != Role::worker || share < 0.5 || share > 2.2) {
            others += *process.anon;
            continue;
        }
        ++workers;
        copies += *process.anon;
        if (*process.anon > *main->anon) unshared += *process.anon - *main->anon;
    }
    for (const Neighbour& neighbour : death.all.neighbours)
        if (neighbour.same_cgroup) others += neighbour.rss;
    if (workers < 2 || copies.share_of(*limit) < 0.5) return std::nullopt;
    // After a kill the cgroup's count is too low. But the limit was full, so what neither the
    // parent nor anybody else holds belonged to the workers. Requires that the survivors still hold
    // most of the limit, or that memory known to be unshared would fill it.
    const std::optional<OomKill>& kill = first.oom_kill;
    const bool filled = kill && kill->scope == OomKill::Scope::cgroup &&
                        (cgroup->anon->share_of(*limit) >= 0.5 || unshared.share_of(*limit) >= 0.7);
    const Bytes theirs = filled ? *limit - *main->anon - others : Bytes{};
    if (cgroup->anon->share_of(sum) < 0.75 && theirs.share_of(*limit) < 0.25) return std::nullopt;
    Finding finding = finding_about(
        death, "worker-copies"_cause, Confidence::likely,
        facts::WorkerCopies{workers, copies, *main->anon, *limit, theirs, *cgroup->anon});
    if (const std::optional<Where> where = line_of_workers(death.all))
        finding.where = where;
    else if (const std::optional<Where> data = line_of_data(death, *main->anon))
        finding.where = data;
    return finding;
}

std::optional<Finding> worker_copies(const Autopsy& death) {
    if (std::optional<Finding> copied = copied_from_parent(death)) return copied;
    return loaded_in_each_worker(death);
}

}  // namespace holdfast::rules
