#include "stall/endless_loop.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "model/own_code.h"
#include "stall/thresholds.h"

namespace holdfast {
namespace {

using namespace stall_thresholds;

constexpr std::size_t most_at_pulses = 64;
constexpr std::size_t most_silent = 128;
// After so many stacks that begin elsewhere, it was the first one that was torn.
constexpr int most_torn = 4;

bool same_code(const Frame& a, const Frame& b) {
    return a.file == b.file && a.function == b.function;
}
bool same_line(const Frame& a, const Frame& b) { return same_code(a, b) && a.line == b.line; }

// The loop of one frame's function.
struct Link {
    std::size_t frame = 0;
    int loop = -1;
    const SourceLoops* source = nullptr;

    const SourceLoop& text() const { return source->loops[static_cast<std::size_t>(loop)]; }
    bool operator==(const Link&) const = default;
};

const SourceLine* line_of(const SourceLoops* source, const Frame& frame) {
    return source != nullptr && frame.line ? source->line(*frame.line) : nullptr;
}

bool is_comprehension(const Frame& frame) {
    return frame.function.ends_with("comp>") || frame.function.ends_with("<genexpr>");
}

// The loops around the line of frames[at], outermost first.
std::vector<Link> loops_around(const std::vector<Frame>& frames, std::size_t at,
                               const SourceOf& source_of) {
    const SourceLoops* source = source_of(frames[at].file);
    const SourceLine* line = line_of(source, frames[at]);
    std::vector<Link> links;
    // The lines of a comprehension are in the loops of the function that it stands in.
    const bool within_a_line =
        is_comprehension(frames[at]) || frames[at].function.ends_with("<lambda>");
    if (line == nullptr || within_a_line) return links;
    for (int loop = line->loop; loop >= 0;
         loop = source->loops[static_cast<std::size_t>(loop)].parent)
        links.push_back({at, loop, source});
    std::reverse(links.begin(), links.end());
    return links;
}

// How many of the outermost frames all looks share, with their lines; the function of the next one
// may be the same, too.
std::size_t shared_frames(const std::vector<LoopLook>& looks) {
    const std::vector<Frame>& first = looks.front().frames;
    std::size_t shared = first.size();
    for (const LoopLook& look : looks) {
        const auto [a, b] = std::mismatch(first.begin(), first.end(), look.frames.begin(),
                                          look.frames.end(), same_line);
        shared = std::min(shared, static_cast<std::size_t>(a - first.begin()));
    }
    return shared;
}

// The loops that no look found the thread out of, outermost first; nothing if that cannot be told.
std::optional<std::vector<Link>> never_left(const std::vector<LoopLook>& looks,
                                            const SourceOf& source_of) {
    const std::vector<Frame>& first = looks.front().frames;
    const std::size_t shared = shared_frames(looks);
    std::vector<Link> links;
    for (std::size_t at = 0; at < shared; ++at) {
        const SourceLine* line = line_of(source_of(first[at].file), first[at]);
        // Below a loop of ours there may be one that nobody can read: a library's, a comprehension.
        if (!links.empty() && (line == nullptr || line->repeats || is_comprehension(first[at])))
            return std::nullopt;
        const std::vector<Link> here = loops_around(first, at, source_of);
        links.insert(links.end(), here.begin(), here.end());
    }
    const bool function_shared = std::all_of(looks.begin(), looks.end(), [&](const LoopLook& look) {
        return shared < look.frames.size() && shared < first.size() &&
               same_code(look.frames[shared], first[shared]);
    });
    if (!function_shared) return links;
    if (is_comprehension(first[shared])) return std::nullopt;
    std::vector<Link> common = loops_around(first, shared, source_of);
    for (const LoopLook& look : looks) {
        if (line_of(source_of(look.frames[shared].file), look.frames[shared]) == nullptr)
            return std::nullopt;
        const std::vector<Link> here = loops_around(look.frames, shared, source_of);
        const auto end =
            std::mismatch(common.begin(), common.end(), here.begin(), here.end()).first;
        common.erase(end, common.end());
    }
    links.insert(links.end(), common.begin(), common.end());
    return links;
}

// Python ran all the time: one long call of native code would show the same instruction at each
// look.
bool ran_python(const std::vector<LoopLook>& looks) {
    std::set<std::tuple<std::size_t, std::string, int, std::int32_t>> places;
    for (const LoopLook& look : looks)
        places.emplace(look.frames.size(), look.frames.back().function,
                       look.frames.back().line.value_or(0), look.instruction);
    return places.size() >= places_in_a_loop;
}

bool had_a_core(const std::vector<LoopLook>& looks) {
    const auto lasted = static_cast<double>((looks.back().time - looks.front().time).count());
    const auto ran = static_cast<double>((looks.back().ran - looks.front().ran).count());
    return lasted > 0 && ran >= running_share * lasted;
}

bool is_within(const Link& loop, const std::vector<Frame>& stuck, const LoopLook& look,
               const SourceOf& source_of) {
    if (look.frames.size() <= loop.frame) return false;
    for (std::size_t at = 0; at < loop.frame; ++at)
        if (!same_line(look.frames[at], stuck[at])) return false;
    if (!same_code(look.frames[loop.frame], stuck[loop.frame])) return false;
    const std::vector<Link> around = loops_around(look.frames, loop.frame, source_of);
    return std::find(around.begin(), around.end(), loop) != around.end();
}

// Where in the body of the loop a look found the thread: the line of the statement that belongs to
// the loop itself. Nothing if it was elsewhere, or in another loop that writes.
std::optional<int> statement_in(const Link& loop, const std::vector<Frame>& stuck,
                                const LoopLook& look, const SourceOf& source_of) {
    if (!is_within(loop, stuck, look, source_of)) return std::nullopt;
    const std::vector<Link> around = loops_around(look.frames, loop.frame, source_of);
    const auto itself = std::find(around.begin(), around.end(), loop);
    for (auto inner = itself + 1; inner != around.end(); ++inner)
        if (inner->text().writes) return std::nullopt;
    for (std::size_t at = loop.frame + 1; at < look.frames.size(); ++at)
        for (const Link& below : loops_around(look.frames, at, source_of))
            if (below.text().writes) return std::nullopt;
    if (itself + 1 != around.end()) return (itself + 1)->text().first;
    return line_of(loop.source, look.frames[loop.frame])->statement;
}

}  // namespace

std::optional<int> EndlessLoop::frames_inside(const std::vector<Frame>& frames) const {
    for (std::size_t at = frames.size(); at > 0; --at) {
        const Frame& frame = frames[at - 1];
        if (frame.file == file && frame.function == function && frame.line &&
            *frame.line >= first && *frame.line <= last)
            return static_cast<int>(frames.size() - at);
    }
    return std::nullopt;
}

void LoopHistory::add(LoopLook look) {
    const bool wrote = begun_ && look.writes != writes_;
    if (wrote) written_ += look.writes - std::min(look.writes, writes_);
    begun_ = true;
    writes_ = look.writes;
    if (wrote) {
        if (pulses_ == 0)
            first_pulse_ = look.time;
        else
            longest_ = std::max(longest_, look.time - last_pulse_);
        last_pulse_ = look.time;
        ++pulses_;
        // The last look before it: it may be the only one at this turn of the loop.
        if (!silent_.empty()) at_pulses_.push_back({std::move(silent_.back()), false});
        silent_.clear();
    }
    if (look.frames.empty() || is_torn(look)) return;
    if (wrote) {
        at_pulses_.push_back({std::move(look), true});
        while (at_pulses_.size() > most_at_pulses) at_pulses_.pop_front();
        return;
    }
    silent_.push_back(std::move(look));
    if (silent_.size() < most_silent) return;
    // Every second one, but always the first.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < silent_.size(); i += 2, ++kept)
        if (i != kept) silent_[kept] = std::move(silent_[i]);
    silent_.resize(kept);
}

// The stack of a running program may change while it is read, and then seems to begin further in.
bool LoopHistory::is_torn(const LoopLook& look) {
    const Frame& begin = look.frames.front();
    if (torn_ > most_torn || begin_.function.empty()) begin_ = begin;
    torn_ = same_code(begin, begin_) ? 0 : torn_ + 1;
    return torn_ > 0;
}

Nanos LoopHistory::usual() const {
    const auto intervals =
        static_cast<std::int64_t>(std::min<std::uint64_t>(written_, 1U << 30U)) - 1;
    return (last_pulse_ - first_pulse_) / std::max<std::int64_t>(intervals, 1);
}

bool LoopHistory::is_silent(Nanos now) const {
    if (pulses_ < 2 || written_ < enough_writes || silent_.size() < looks_in_a_loop) return false;
    return now - last_pulse_ >= too_long(without_a_write, usual(), longest_);
}

std::optional<EndlessLoop> LoopHistory::judge(Nanos now, const SourceOf& source_of) const {
    if (!is_silent(now) || !had_a_core(silent_) || !ran_python(silent_)) return std::nullopt;
    const auto links = never_left(silent_, source_of);
    if (!links || links->empty() || !links->back().text().open) return std::nullopt;
    // The outermost of the loops that may turn for ever, and the one around it that used to write.
    auto loop = links->rbegin();
    while (std::next(loop) != links->rend() && std::next(loop)->text().open) ++loop;
    if (std::next(loop) == links->rend()) return std::nullopt;
    const Link around = *std::next(loop);
    const std::vector<Frame>& stuck = silent_.back().frames;
    const Frame& frame = stuck[loop->frame];
    if (!around.text().writes || !is_own_code(frame.file) || !is_own_code(stuck[around.frame].file))
        return std::nullopt;
    // That one turned and wrote before: a first epoch has no usual length. Where a write lies
    // between two looks at the same statement, or at an earlier one, the loop has turned. Once is
    // enough if both looks found it in the very loop that it is in now: then that has ended before.
    std::size_t turns = 0;
    bool ended_before = false;
    std::optional<int> before, at_last_write;
    bool was_in_it = false;
    for (const Pulse& pulse : at_pulses_) {
        const std::optional<int> here = statement_in(around, stuck, pulse.look, source_of);
        const bool in_it = here && is_within(*loop, stuck, pulse.look, source_of);
        if (pulse.wrote) {
            const auto turned_since = [&](const std::optional<int>& then) {
                return then && here && *here <= *then;
            };
            if (turned_since(before) || turned_since(at_last_write)) ++turns;
            ended_before = ended_before || (in_it && was_in_it);
            at_last_write = here;
        }
        before = here;
        was_in_it = in_it;
    }
    if (turns < turns_before_a_loop && !ended_before) return std::nullopt;
    EndlessLoop found;
    found.since = last_pulse_;
    found.usual = usual();
    found.longest = longest_;
    found.file = frame.file;
    found.function = frame.function;
    found.first = loop->text().first;
    found.last = loop->text().last;
    return found;
}

}  // namespace holdfast
