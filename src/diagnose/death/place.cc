#include "diagnose/death/place.h"

#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/oom/memory_held.h"
#include "diagnose/text/last_text.h"
#include "diagnose/text/python_dump.h"

namespace holdfast {
namespace {

// `File "train.py", line 20, in __getitem__`
std::optional<Frame> frame_in(std::string_view line) {
    line = trim(line);
    constexpr std::string_view begin = "File \"";
    if (!line.starts_with(begin)) return std::nullopt;
    const std::size_t end = line.find("\", line ", begin.size());
    const std::size_t in = line.find(", in ", end);
    if (end == std::string_view::npos || in == std::string_view::npos) return std::nullopt;
    const auto number = parse_number<int>(line.substr(end + 8, in - end - 8));
    if (!number) return std::nullopt;
    return Frame{std::string(line.substr(begin.size(), end - begin.size())), *number,
                 std::string(line.substr(in + 5))};
}

std::optional<Where> last_own_place(std::string_view text) {
    std::vector<Frame> frames;
    while (const auto line = next_line(text))
        if (std::optional<Frame> frame = frame_in(*line)) frames.push_back(std::move(*frame));
    return own_place(frames);
}

// The text between the last RemoteTraceback's triple quotes.
std::string_view remote_text(std::string_view text) {
    const std::size_t name = text.rfind("RemoteTraceback:");
    if (name == std::string_view::npos) return {};
    const std::size_t open = text.find("\"\"\"", name);
    if (open == std::string_view::npos) return {};
    return text.substr(open, text.find("\n\"\"\"", open + 3) - open);
}

}  // namespace

std::optional<Where> place_in_worker(const Death& death, const TracebackText& traceback) {
    constexpr std::string_view original = "Original Traceback (most recent call last)";
    if (const std::size_t at = traceback.message.find(original); at != std::string::npos)
        return last_own_place(std::string_view(traceback.message).substr(at));
    // Only if the parent was asking a pool for a result.
    for (const Frame& frame : traceback.frames)
        for (const std::string_view file :
             {"multiprocessing/pool.py", "concurrent/futures/_base.py", "joblib/parallel.py"})
            if (frame.file.ends_with(file))
                return last_own_place(remote_text(death.all.stderr_tail));
    return std::nullopt;
}

std::optional<Where> where_it_died(const Death& death) {
    if (const TracebackText* traceback = final_exception(death)) {
        if (std::optional<Where> worker = place_in_worker(death, *traceback)) return worker;
        return own_place(traceback->frames);
    }
    if (const CrashEvidence* crash = crash_of(death); crash != nullptr && !crash->python.empty())
        return own_place(crash->python.front().frames);
    // A library that calls exit() was itself called from some line.
    if (const ExitCallEvidence* call = exit_call_of(death)) return own_place(call->frames);
    if (!death.decides || !death.exit.signal) return std::nullopt;
    if (const std::optional<PythonDump> dump = python_dump_at_end(death.all.stderr_tail))
        return own_place(dump->frames);
    return std::nullopt;
}

std::optional<Where> where_it_was(const Death& death) {
    constexpr Nanos a_moment{2'000'000'000};
    const auto recent = [&](RunTime time) {
        return !death.time || time >= earlier(*death.time, a_moment);
    };
    const AgentEvidence* agent = agent_of(death);
    if (agent != nullptr && agent->place_time && recent(*agent->place_time))
        if (std::optional<Where> place = own_place(agent->place)) return place;
    std::optional<Where> seen;
    for (const StacksEvidence& look : death.all.stacks)
        if (look.pid == death.pid && recent(look.time) && !look.threads.empty())
            seen = own_place(look.threads.front().frames);
    return seen;
}

std::optional<Where> where_it_holds_most(const AgentEvidence& agent) {
    const SiteEvidence* largest = nullptr;
    for (const SiteEvidence& site : agent.sites)
        if (largest == nullptr || site.live > largest->live) largest = &site;
    if (largest == nullptr || largest->live.share_of(agent.live) < 0.5) return std::nullopt;
    return own_place(largest->frames);
}

std::optional<Where> where_memory_went(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    const std::optional<Bytes> held = held_at_end(death);
    if (agent == nullptr || !held) return std::nullopt;
    std::map<std::pair<std::string, int>, Bytes> lines;
    for (const SiteEvidence& site : agent->sites)
        if (const auto where = own_place(site.frames); where && where->line)
            lines[{where->file, *where->line}] += site.live;
    const SiteEvidence* filling = nullptr;
    for (const SiteEvidence& site : agent->sites) {
        const std::optional<Where> where = own_place(site.frames);
        if (!where || !where->line || site.small_objects) continue;
        if (lines[{where->file, *where->line}].share_of(*held) >= 0.5) return where;
        const bool untouched = site.blocks > 0 && site.live.share_of(site.peak) < 0.5;
        if (untouched && (filling == nullptr || site.peak > filling->peak)) filling = &site;
    }
    // Nobody else can have taken what was held beyond the live memory.
    if (filling == nullptr || agent->live.share_of(*held) >= 0.5 ||
        filling->peak.share_of(*held) < 0.5)
        return std::nullopt;
    return own_place(filling->frames);
}

}  // namespace holdfast
