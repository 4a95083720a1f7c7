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

// What a framework takes when it is imported is nobody's data and nobody's leak.
bool tells_a_line(const SiteHistory& site) { return !site.gpu && !site.foreign; }

// Outermost first, as Python prints them.
std::vector<Frame> frames_of(const MemoryHistory& history, const SiteHistory& site) {
    std::vector<Frame> frames;
    for (const std::uint32_t number : site.stack)
        if (number < history.frames.size()) frames.push_back(history.frames[number]);
    return frames;
}

// The lines are estimates, and all of them together held no more than the process could.
double part_that_fits(const AgentEvidence& agent, const MemoryContext& context) {
    Bytes all;
    for (const SiteHistory& site : agent.memory->sites)
        if (!site.gpu) all += site.live;
    if (!context.room || *context.room >= all || all.count == 0) return 1;
    return context.room->share_of(all);
}

Bytes scaled(Bytes bytes, double part) { return bytes_of(static_cast<double>(bytes.count) * part); }

// Memory that was asked for and never touched takes nothing from anybody.
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

// How much a figure rose in the last third of this growth, and in the leap that may have followed.
double rise_of_end(const GrowthSeries& series, const GrowthSeen& growth) {
    if (series.points.empty()) return 0;  // a recording may lack what others of it have
    const std::size_t last = series.points.size() - 1;
    const std::size_t windows =
        std::min(last, static_cast<std::size_t>(std::max(growth.windows / 3, 1)));
    return series.points[last].bytes - series.points[last - windows].bytes;
}

// In how many windows it rose above all before, by a notable part of what it came to.
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
struct OwnLine {
    LiveCurve sum;
    std::vector<Frame> frames;  // up to it, of the largest site
    CallKind kind = CallKind::other;
    double largest = 0;  // that site's live bytes
    double depth = 0;    // own frames below it, weighted by bytes
    std::vector<std::size_t> sites;
    std::optional<GrowthSeen> growth;
};

using LineKey = std::tuple<std::string, int, std::string>;

std::map<LineKey, OwnLine> own_lines(const AgentEvidence& agent) {
    std::map<LineKey, OwnLine> lines;
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
            // Made-up source of a library, below the user's own file.
            if (&frames[i] > innermost) continue;
            OwnLine& line = lines[{frames[i].file, *frames[i].line, frames[i].function}];
            // A function that calls itself stands there twice and counts once.
            if (!line.sites.empty() && line.sites.back() == s) continue;
            line.sites.push_back(s);
            const auto live = static_cast<double>(site.live.count);
            line.sum.add(site);
            line.depth += below * live;
            if (line.frames.empty() || live > line.largest) {
                line.largest = live;
                line.kind = kind_of_call(frames, i);
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

// The live figure when the first steps ended; nothing when the windows do not reach so far back.
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

// One large block whose pages are written to bit by bit grows, but nobody keeps more and more: it
// was asked for at once. What grows by realloc asks again and again.
bool filled_in_place(const AgentEvidence& agent, const OwnLine& line) {
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

bool called_from(const OwnLine& line, const Frame& caller) {
    return std::any_of(line.frames.begin(), line.frames.end(), [&](const Frame& frame) {
        return frame.file == caller.file && frame.line == caller.line;
    });
}

// Several lines of a loop may share what grows. The largest of them asks for it; the call above
// them all does not.
const OwnLine& heaviest_below(const std::map<LineKey, OwnLine>& lines, const OwnLine& call) {
    const OwnLine* best = nullptr;
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
        if (tells_a_line(site) && site.live >= least_shown) largest.push_back(&site);
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
        // Of what nobody saw being asked for, the pieces are not known.
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

bool was_one_call(const AgentEvidence& agent, const GrowthSeen& growth) {
    if (growth.per_minute <= 0 || !agent.place_time || !agent.no_line_since) return false;
    const double minutes = static_cast<double>(growth.in_all.count) / growth.per_minute;
    // The visit is asked for a moment after the growth began.
    const Nanos most{static_cast<std::int64_t>(0.75 * minutes * 60e9)};
    return later(*agent.no_line_since, most) <= *agent.place_time;
}

std::optional<LeakEvidence> leak_of(const AgentEvidence& agent, const MemoryContext& context) {
    std::map<LineKey, OwnLine> lines = own_lines(agent);
    const OwnLine* most = nullptr;
    for (auto& [key, line] : lines) {
        line.growth = judge_growth(line.sum.series(agent), context.limit);
        if (line.growth && (most == nullptr || line.growth->in_all > most->growth->in_all))
            most = &line;
    }
    if (most == nullptr) return std::nullopt;
    const GrowthSeries all = most->sum.series(agent);
    // The outermost line has everything below it, imports too, so the innermost one with most of
    // what grew in the same time is meant.
    const OwnLine* blamed = nullptr;
    for (const auto& [key, line] : lines) {
        if (!line.growth || line.growth->in_all.share_of(most->growth->in_all) < 0.3) continue;
        const GrowthSeries own = line.sum.series(agent);
        if (rise_of_end(own, *line.growth) < 0.6 * rise_of_end(all, *line.growth)) continue;
        if (blamed == nullptr || line.depth < blamed->depth) blamed = &line;
    }
    if (blamed == nullptr || !resident_grew_too(agent, *blamed->growth, context) ||
        filled_in_place(agent, *blamed))
        return std::nullopt;
    // Most of the end's rise below it is one line's, which itself does not pass: an import and a
    // leak behind one another make a steady sum. Better no line than the one above both.
    const GrowthSeries whole = blamed->sum.series(agent);
    for (const auto& [key, line] : lines)
        if (line.depth < blamed->depth && &line != blamed &&
            rise_of_end(line.sum.series(agent), *blamed->growth) >=
                0.6 * rise_of_end(whole, *blamed->growth))
            return std::nullopt;
    LeakEvidence leak;
    leak.frames = heaviest_below(lines, *blamed).frames;
    // A thread of the program's own may fill memory while the main thread waits elsewhere.
    const Frame& line = leak.frames.back();
    if (!blamed->growth->per_step &&
        (blamed->kind != CallKind::other ||
         (was_at(agent, line.file, line.line) && was_one_call(agent, *blamed->growth))))
        return std::nullopt;
    const double part = part_that_fits(agent, context);
    leak.live = scaled(blamed->sum.now(), part);
    leak.error = scaled(blamed->sum.band(), part);
    leak.borrowed = blamed->sum.borrowed();
    leak.several_lines = blamed->depth > 0.05;
    leak.growth = *blamed->growth;
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
    // Quick steps fill a GPU within a few windows; then the last steps tell more. In a long run
    // they would be a crowd at its very end, where only the last of them counts.
    constexpr std::size_t enough_windows = 5;
    const bool quick = series.points.size() < enough_windows;
    if (quick) series.points.clear();
    const std::vector<GpuStep>& steps = agent.memory->gpu_steps;
    for (const GpuStep& step : quick ? std::span(steps) : last_of(steps))
        if (series.points.empty() || series.points.back().step < step.number)
            add(step.time, step.number, step.allocated);
    std::optional<GrowthSeen> growth = judge_growth(series, std::nullopt);
    // GPU figures come with the steps: growth over time alone would be growth of nothing known.
    return growth && growth->steps ? growth : std::nullopt;
}

namespace {

// Not the resident memory that was seen: a process may fill more in the moments before its end.
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

// The program's own, else the one that held most. One that replaced itself by exec has told twice:
// the latest is meant.
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
        agent.steps.gpu_growth = gpu_growth_of(agent);
    }
    if (const AgentEvidence* main = main_agent(evidence); main != nullptr && main->memory)
        evidence.memory.top_sites = top_sites_of(*main, context_of(*main, evidence));
}

}  // namespace holdfast
