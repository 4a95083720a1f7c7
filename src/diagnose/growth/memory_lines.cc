#include "diagnose/growth/memory_lines.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "diagnose/growth/growth.h"
#include "model/own_code.h"

namespace holdfast {
namespace {

constexpr std::size_t most_sites = 16;
constexpr std::size_t most_top_sites = 5;
constexpr Bytes least_shown = Bytes::mib(1);
constexpr Bytes least_untouched = Bytes::mib(64);

// What a framework takes at its import is neither the user's data nor a leak.
bool tells_a_line(const SiteHistory& site) { return !site.gpu && !site.foreign; }

// A large block of which hardly a page was touched when it was last looked at.
bool is_untouched(const SiteHistory& site) {
    constexpr std::uint64_t few = 4;
    return !site.small_objects && !site.unseen && site.blocks > 0 && site.blocks <= few &&
           site.peak >= least_untouched;
}

// Outermost first, as Python prints them.
std::vector<Frame> frames_of(const MemoryHistory& history, const SiteHistory& site) {
    std::vector<Frame> frames;
    for (const std::uint32_t number : site.stack)
        if (number < history.frames.size()) frames.push_back(history.frames[number]);
    return frames;
}

// The lines are estimates. Scale them down if together they exceed what the process can hold.
double part_that_fits(const AgentEvidence& agent, const MemoryContext& context) {
    Bytes all;
    for (const SiteHistory& site : agent.memory->sites)
        if (!site.gpu) all += site.live;
    if (!context.room || *context.room >= all || all.count == 0) return 1;
    return context.room->share_of(all);
}

Bytes scaled(Bytes bytes, double part) { return bytes_of(static_cast<double>(bytes.count) * part); }

// Memory that was requested but never touched takes nothing from anybody.
bool resident_grew_too(const AgentEvidence& agent, const GrowthSeen& growth,
                       const MemoryContext& context) {
    std::optional<std::uint64_t> least;
    std::optional<std::uint64_t> last;
    for (const MemoryWindow& window : agent.memory->windows) {
        if (!window.resident) continue;
        const std::uint64_t resident = window.resident->count;
        least = std::min(least.value_or(resident), resident);
        last = resident;
    }
    if (!least || context.swapped) return true;
    return static_cast<double>(*last - *least) >= 0.3 * static_cast<double>(growth.in_all.count);
}

// How much a figure rose in the last third of this growth, including a leap after it.
double rise_of_end(const GrowthSeries& series, const GrowthSeen& growth) {
    if (series.points.empty()) return 0;  // a recording may lack the windows
    const std::size_t last = series.points.size() - 1;
    const std::size_t windows =
        std::min(last, static_cast<std::size_t>(std::max(growth.windows / 3, 1)));
    return series.points[last].bytes - series.points[last - windows].bytes;
}

// The windows in which it rose above every earlier value by a notable share of its final value.
int rises_in(const GrowthSeries& series) {
    int rises = 0;
    double most = 0;
    for (const GrowthPoint& point : series.points) {
        if (point.bytes - most > 0.04 * series.points.back().bytes) ++rises;
        most = std::max(most, point.bytes);
    }
    return rises;
}

// A line of the user's own code that stands in the stacks of some sites.
struct UserLine {
    LiveCurve sum;
    std::vector<Frame> frames;  // up to it, of the largest site
    CallKind kind = CallKind::other;
    bool makes_objects = false;  // and nothing else speaks for a load
    double largest = 0;          // that site's live bytes
    double depth = 0;            // own frames below it, weighted by bytes
    std::vector<std::size_t> sites;
    std::optional<GrowthSeen> growth;
};

using LineKey = std::tuple<std::string, int, std::string>;

std::map<LineKey, UserLine> own_lines(const AgentEvidence& agent) {
    std::map<LineKey, UserLine> lines;
    const MemoryHistory& history = *agent.memory;
    for (std::size_t s = 0; s < history.sites.size(); ++s) {
        const SiteHistory& site = history.sites[s];
        if (!tells_a_line(site)) continue;
        const std::vector<Frame> frames = frames_of(history, site);
        const Frame* innermost = innermost_own_frame(frames);
        if (innermost == nullptr) continue;
        double below = 0;
        for (std::size_t i = frames.size(); i-- > 0;) {
            if (!is_own_code(frames[i].file) || !frames[i].line) continue;
            // Skips made-up source of a library, which runs below the user's own file.
            if (&frames[i] > innermost) continue;
            UserLine& line = lines[{frames[i].file, *frames[i].line, frames[i].function}];
            // A recursive function is in the stack more than once, but counts once.
            if (!line.sites.empty() && line.sites.back() == s) continue;
            line.sites.push_back(s);
            const auto live = static_cast<double>(site.live.count);
            line.sum.add(site);
            line.depth += below * live;
            if (line.frames.empty() || live > line.largest) {
                line.largest = live;
                line.kind = kind_of_call(frames, i);
                line.makes_objects = only_makes_objects(frames, i);
                line.frames.assign(frames.begin(),
                                   frames.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            }
            below += 1;
        }
    }
    for (auto& [key, line] : lines)
        line.depth /= std::max(1.0, static_cast<double>(line.sum.now().count));
    return lines;
}

// What was live when the first steps ended; nothing if the windows do not reach back that far.
std::optional<Bytes> before_steps(const AgentEvidence& agent, const SiteHistory& site) {
    if (agent.steps.count == 0) return std::nullopt;
    std::optional<Bytes> before;
    const std::vector<MemoryWindow>& windows = agent.memory->windows;
    for (std::size_t i = 0; i < std::min(windows.size(), site.at_windows.size()); ++i) {
        const std::uint64_t step = windows[i].step;
        if (step > 0 && (before || step > agent.steps.count / 4)) break;
        before = site.at_windows[i];
        if (step > 0) break;
    }
    return before;
}

// A large block that was requested at once grows as its pages are written, but nobody keeps more
// and more. Growth by realloc differs: it requests again and again.
bool filled_in_place(const AgentEvidence& agent, const UserLine& line) {
    constexpr std::uint64_t few = 4;
    std::uint64_t blocks = 0;
    std::uint64_t asked = 0;
    std::uint64_t live = 0;
    for (const std::size_t s : line.sites) {
        const SiteHistory& site = agent.memory->sites[s];
        if (site.live < Bytes{line.sum.now().count / 10}) continue;
        if (site.small_objects) return false;
        blocks += site.blocks;
        asked += site.asked.count;
        live += site.live.count;
    }
    return blocks > 0 && blocks <= few && asked < 8 * live;
}

}  // namespace

namespace {

bool called_from(const UserLine& line, const Frame& caller) {
    return std::any_of(line.frames.begin(), line.frames.end(), [&](const Frame& frame) {
        return frame.file == caller.file && frame.line == caller.line;
    });
}

// Several lines in a loop may share the growth. Take the largest of them, because the call above
// them asks for nothing itself.
const UserLine& heaviest_below(const std::map<LineKey, UserLine>& lines, const UserLine& call) {
    const UserLine* best = nullptr;
    for (const auto& [key, line] : lines) {
        if (&line == &call || !line.growth || line.depth >= call.depth) continue;
        if (line.growth->in_all.share_of(call.growth->in_all) < 0.3) continue;
        if (!called_from(line, call.frames.back())) continue;
        if (best == nullptr || line.growth->in_all > best->growth->in_all) best = &line;
    }
    return best != nullptr ? *best : call;
}

}  // namespace

std::vector<SiteEvidence> sites_of(const AgentEvidence& agent, const MemoryContext& context) {
    std::vector<const SiteHistory*> largest;
    for (const SiteHistory& site : agent.memory->sites)
        if (tells_a_line(site) && (site.live >= least_shown || is_untouched(site)))
            largest.push_back(&site);
    std::stable_sort(largest.begin(), largest.end(),
                     [](const auto* a, const auto* b) { return a->live > b->live; });
    if (largest.size() > most_sites) largest.resize(most_sites);
    std::vector<SiteEvidence> sites;
    for (const SiteHistory* from : largest) {
        SiteEvidence& site = sites.emplace_back();
        site.frames = frames_of(*agent.memory, *from);
        site.peak = from->peak;
        site.error = from->error;
        site.borrowed = from->borrowed;
        site.small_objects = from->small_objects;
        site.before_steps = before_steps(agent, *from);
        // Nobody saw this memory being requested, so the number of blocks is unknown.
        site.blocks = from->unseen ? 1 : from->blocks;
        LiveCurve sum;
        sum.add(*from);
        site.live = sum.now();
        const GrowthSeries series = sum.series(agent);
        site.growth = judge_growth(series, context.limit);
        site.rises = rises_in(series);
    }
    return sites;
}

bool was_at(const AgentEvidence& agent, const std::string& file, std::optional<int> line) {
    const Frame* own = innermost_own_frame(agent.place);
    return own != nullptr && own->file == file && own->line == line;
}

namespace {

// How far the memory of all lines rose after a moment. The window around it counts whole.
std::optional<Bytes> risen_since(const AgentEvidence& agent, RunTime moment) {
    if (!agent.memory || agent.memory->windows.empty()) return std::nullopt;
    LiveCurve all;
    for (const SiteHistory& site : agent.memory->sites) all.add(site);
    const GrowthSeries series = all.series(agent);
    if (series.points.empty()) return std::nullopt;  // a damaged recording: windows without sites
    double before = 0;
    for (const GrowthPoint& point : series.points)
        if (point.time <= moment) before = point.bytes;
    return bytes_of(series.points.back().bytes - before);
}

}  // namespace

bool was_one_call(const AgentEvidence& agent, const GrowthSeen& growth) {
    constexpr double most_of_it = 0.75;
    if (growth.per_minute <= 0 || !agent.place_time || !agent.no_line_since) return false;
    if (const std::optional<Bytes> risen = risen_since(agent, *agent.no_line_since))
        return risen->share_of(growth.in_all) >= most_of_it;
    const double minutes = static_cast<double>(growth.in_all.count) / growth.per_minute;
    // The agent asks for a visit only a moment after the growth began.
    const Nanos most{static_cast<std::int64_t>(most_of_it * minutes * 60e9)};
    return later(*agent.no_line_since, most) <= *agent.place_time;
}

const NoteEvidence* collector_off(const AgentEvidence& agent) {
    const NoteEvidence* last = nullptr;
    for (const NoteEvidence& note : agent.notes)
        if (note.kind == NoteEvidence::Kind::collector_off) last = &note;
    return last;
}

namespace {

// One object after the other is made. Without a collector, those that refer to each other stay,
// though no name reaches them.
bool makes_cycles(const AgentEvidence& agent, const UserLine& line) {
    constexpr std::int64_t many = 2000;
    const NoteEvidence* off = collector_off(agent);
    return line.makes_objects && off != nullptr && off->b == 0 && off->a >= many &&
           (agent.keepers.empty() ||
            agent.keepers.front().live.share_of(line.growth->in_all) < 0.25);
}

}  // namespace

std::optional<LeakEvidence> leak_of(const AgentEvidence& agent, const MemoryContext& context) {
    std::map<LineKey, UserLine> lines = own_lines(agent);
    const UserLine* most = nullptr;
    for (auto& [key, line] : lines) {
        line.growth = judge_growth(line.sum.series(agent), context.limit);
        if (line.growth && (most == nullptr || line.growth->in_all > most->growth->in_all))
            most = &line;
    }
    if (most == nullptr) return std::nullopt;
    const GrowthSeries all = most->sum.series(agent);
    // The outermost line includes everything below it, even imports. So take the innermost line
    // that has most of what grew in the same time.
    const UserLine* blamed = nullptr;
    for (const auto& [key, line] : lines) {
        if (!line.growth || line.growth->in_all.share_of(most->growth->in_all) < 0.3) continue;
        const GrowthSeries own = line.sum.series(agent);
        if (rise_of_end(own, *line.growth) < 0.6 * rise_of_end(all, *line.growth)) continue;
        if (blamed == nullptr || line.depth < blamed->depth) blamed = &line;
    }
    if (blamed == nullptr || !resident_grew_too(agent, *blamed->growth, context) ||
        filled_in_place(agent, *blamed))
        return std::nullopt;
    // If a line below has most of the rise at the end, but does not grow steadily itself, blame no
    // line: an import followed by a leak adds up to a steady sum, and the line above both is the
    // wrong one.
    const GrowthSeries whole = blamed->sum.series(agent);
    for (const auto& [key, line] : lines)
        if (line.depth < blamed->depth && &line != blamed &&
            rise_of_end(line.sum.series(agent), *blamed->growth) >=
                0.6 * rise_of_end(whole, *blamed->growth))
            return std::nullopt;
    LeakEvidence leak;
    leak.frames = heaviest_below(lines, *blamed).frames;
    // By time alone, a call that loads grows just like a leak. But the line may be a thread's,
    // which fills memory while the main thread waits elsewhere.
    const Frame& line = leak.frames.back();
    const bool loads = blamed->kind != CallKind::other && !makes_cycles(agent, *blamed);
    if (!blamed->growth->per_step &&
        (loads || (was_at(agent, line.file, line.line) && was_one_call(agent, *blamed->growth))))
        return std::nullopt;
    const double part = part_that_fits(agent, context);
    leak.live = scaled(blamed->sum.now(), part);
    leak.error = scaled(blamed->sum.band(), part);
    leak.borrowed = blamed->sum.borrowed();
    leak.several_lines = blamed->depth > 0.05;
    leak.growth = *blamed->growth;
    return leak;
}

std::optional<LeakEvidence> leak_of_helper(const AgentEvidence& agent,
                                           const MemoryContext& context) {
    constexpr std::uint64_t many = 32;
    LiveCurve sum;
    const SiteHistory* largest = nullptr;
    for (const SiteHistory& site : agent.memory->sites) {
        if (!tells_a_line(site) || site.unseen || site.stack.empty()) continue;
        if (innermost_own_frame(frames_of(*agent.memory, site)) != nullptr) continue;
        sum.add(site);
        if (largest == nullptr || site.live > largest->live) largest = &site;
    }
    if (largest == nullptr || sum.now().share_of(agent.live) < 0.5) return std::nullopt;
    if (!largest->small_objects && largest->blocks <= many) return std::nullopt;
    const std::optional<GrowthSeen> growth = judge_growth(sum.series(agent), context.limit);
    if (!growth || !resident_grew_too(agent, *growth, context)) return std::nullopt;
    LeakEvidence leak;
    leak.frames = frames_of(*agent.memory, *largest);
    std::vector<Frame> called = leak.frames;
    called.insert(called.begin(), Frame{});  // by nobody: the library's outermost frame counts, too
    if (kind_of_call(called, 0) != CallKind::other) return std::nullopt;
    // The main thread of a server only waits, so its calls say nothing about the other threads.
    const bool in_thread = leak.frames.front().function.ends_with("_bootstrap");
    if (!in_thread && was_one_call(agent, *growth)) return std::nullopt;
    const double part = part_that_fits(agent, context);
    leak.live = scaled(sum.now(), part);
    leak.error = scaled(sum.band(), part);
    leak.growth = *growth;
    return leak;
}

std::vector<MemorySite> top_sites_of(const AgentEvidence& agent, const MemoryContext& context) {
    std::map<std::pair<std::string, int>, LiveCurve> lines;
    for (const SiteHistory& site : agent.memory->sites) {
        if (!tells_a_line(site)) continue;
        const std::vector<Frame> frames = frames_of(*agent.memory, site);
        const Frame* own = innermost_own_frame(frames);
        if (own != nullptr && own->line) lines[{own->file, *own->line}].add(site);
    }
    const double part = part_that_fits(agent, context);
    std::vector<MemorySite> top;
    for (const auto& [place, sum] : lines) {
        // One arena or two may be anybody's.
        if (sum.now() < least_shown || sum.band() >= sum.now()) continue;
        MemorySite& site = top.emplace_back();
        site.file = place.first;
        site.line = place.second;
        site.live = scaled(sum.now(), part);
        site.error = scaled(sum.band(), part);
        const auto growth = judge_growth(sum.series(agent), context.limit);
        if (growth && growth->per_step)
            site.growth_per_step = static_cast<std::int64_t>(whole(*growth->per_step));
    }
    std::stable_sort(top.begin(), top.end(),
                     [](const auto& a, const auto& b) { return a.live > b.live; });
    if (top.size() > most_top_sites) top.resize(most_top_sites);
    return top;
}

namespace {

std::span<const GpuStep> last_of(const std::vector<GpuStep>& steps) {
    return std::span(steps).last(steps.empty() ? 0 : 1);
}

}  // namespace

std::optional<GrowthSeen> gpu_growth_of(const AgentEvidence& agent) {
    GrowthSeries series;
    const auto add = [&](RunTime time, std::uint64_t step, std::optional<Bytes> allocated) {
        if (allocated && step > 0)
            series.points.push_back({time, step, static_cast<double>(allocated->count)});
    };
    for (const MemoryWindow& window : agent.memory->windows)
        add(window.end, window.step, window.gpu_allocated);
    // Quick steps fill a GPU within a few windows: then the last steps tell more. In a long run
    // those steps are crowded at the very end, so only the last of them is added.
    constexpr std::size_t enough_windows = 5;
    const bool quick = series.points.size() < enough_windows;
    if (quick) series.points.clear();
    const std::vector<GpuStep>& steps = agent.memory->gpu_steps;
    for (const GpuStep& step : quick ? std::span(steps) : last_of(steps))
        if (series.points.empty() || series.points.back().step < step.number)
            add(step.time, step.number, step.allocated);
    std::optional<GrowthSeen> growth = judge_growth(series, std::nullopt);
    // A GPU figure is measured at a step, so growth over time alone means nothing.
    return growth && growth->steps ? growth : std::nullopt;
}

namespace {

// Not the resident memory we saw: a process may fill more in the moments before its end.
std::optional<Bytes> most_it_can_hold(const ProcessEvidence* process, std::optional<Bytes> limit) {
    if (process == nullptr || !limit) return std::nullopt;
    return *limit + process->swap.value_or(Bytes{});
}

MemoryContext context_of(const AgentEvidence& agent, const Evidence& evidence) {
    const ProcessEvidence* process = evidence.process(agent.pid);
    const bool swapped = process != nullptr && process->swap.value_or(Bytes{}).count > 0;
    const auto limit = evidence.memory.limit;
    return {limit, swapped, most_it_can_hold(process, limit)};
}

// The main program's agent, or else the one that held most. A program that replaced itself by exec
// has two records: the latest counts.
const AgentEvidence* main_agent(const Evidence& evidence) {
    const AgentEvidence* last = nullptr;
    for (const AgentEvidence& agent : evidence.agents)
        if (agent.pid == evidence.main_pid) last = &agent;
    if (last != nullptr && (!last->memory || !last->memory->sites.empty())) return last;
    const auto largest =
        std::max_element(evidence.agents.begin(), evidence.agents.end(),
                         [](const auto& a, const auto& b) { return a.live < b.live; });
    return largest == evidence.agents.end() ? nullptr : &*largest;
}

}  // namespace

bool has_memory_to_judge(const Evidence& evidence) {
    return std::any_of(evidence.agents.begin(), evidence.agents.end(),
                       [](const AgentEvidence& agent) { return agent.memory.has_value(); });
}

void judge_memory(Evidence& evidence) {
    for (AgentEvidence& agent : evidence.agents) {
        if (!agent.memory) continue;
        const MemoryContext context = context_of(agent, evidence);
        agent.sites = sites_of(agent, context);
        agent.leak = leak_of(agent, context);
        const ProcessEvidence* process = evidence.process(agent.pid);
        if (!agent.leak && process != nullptr && process->role == Role::worker)
            agent.leak = leak_of_helper(agent, context);
        agent.steps.gpu_growth = gpu_growth_of(agent);
    }
    if (const AgentEvidence* main = main_agent(evidence); main != nullptr && main->memory)
        evidence.memory.top_sites = top_sites_of(*main, context_of(*main, evidence));
}

}  // namespace holdfast
