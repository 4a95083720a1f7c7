// One slot of agent.box as plain values. Its writer may have died between any two stores, or be a
// forger: sizes are limited to what exists, and invalid references are dropped.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "record/agent_box.h"
#include "record/fixed_fields.h"

namespace holdfast {
namespace {

using format::AgentSlot;

constexpr std::uint64_t most_bytes = std::uint64_t{1}
                                     << 50U;  // a larger figure is damage, not an estimate

// A figure in bytes; a damaged one reads as 0.
std::uint64_t amount(std::uint64_t value) { return value <= most_bytes ? value : 0; }

std::optional<std::uint64_t> known_amount(std::uint64_t value) {
    if (value > most_bytes) return std::nullopt;  // also for `unknown`
    return value;
}

std::string text_at(const AgentSlot& slot, format::TextRef ref) {
    const std::uint32_t have = std::min(slot.text_size, format::agent_text_capacity);
    if (ref.offset > have || ref.size > have - ref.offset) return {};
    return printable({slot.text + ref.offset, ref.size});
}

std::vector<AgentFrameText> frames_of(const AgentSlot& slot) {
    const std::uint32_t count = std::min(slot.frame_count, format::agent_frame_capacity);
    std::vector<AgentFrameText> frames;
    frames.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const format::AgentFrame& frame = slot.frames[i];
        AgentFrameText& text = frames.emplace_back();
        text.file = text_at(slot, frame.file);
        text.function = text_at(slot, frame.function);
        if (frame.line > 0 && frame.line < 100'000'000) text.line = static_cast<int>(frame.line);
    }
    return frames;
}

template <std::size_t N>
FrameNumbers numbers(const AgentSlot& slot, const std::uint16_t (&frames)[N],
                     std::size_t most = N) {
    const std::uint32_t count = std::min(slot.frame_count, format::agent_frame_capacity);
    FrameNumbers found;
    for (std::size_t i = 0; i < std::min(most, N); ++i) {
        if (frames[i] == format::no_frame) break;
        if (frames[i] >= count) break;  // the rest of the stack is unknown, too
        found.push_back(frames[i]);
    }
    return found;
}

// The complete records of a ring, oldest first. One that a dying process left incomplete has no
// time.
template <class Record, std::size_t N>
std::vector<const Record*> written(const Record (&ring)[N]) {
    std::vector<const Record*> found;
    for (const Record& record : ring)
        if (record.time > 0) found.push_back(&record);
    std::stable_sort(found.begin(), found.end(),
                     [](const Record* a, const Record* b) { return a->time < b->time; });
    return found;
}

AgentStepsRecord steps_of(const format::AgentSteps& from) {
    AgentStepsRecord steps;
    steps.count = from.count;
    steps.epoch = from.epoch;
    steps.first = std::max<std::int64_t>(from.first, 0);
    steps.last = std::max<std::int64_t>(from.last, 0);
    if (from.first_nonfinite_step <= from.count)
        steps.first_nonfinite_step = from.first_nonfinite_step;
    steps.usual_ns = from.usual_ns;
    steps.longest_ns = from.longest_ns;
    steps.source = fixed_text(from.source);
    for (const format::AgentStep* step : written(from.ring)) {
        if (step->number == 0 || step->number > from.count) continue;
        AgentStepRecord& kept = steps.last_steps.emplace_back();
        kept.time = step->time;
        kept.number = step->number;
        kept.gpu_allocated = known_amount(step->gpu_allocated);
        kept.gpu_reserved = known_amount(step->gpu_reserved);
        if (step->has_loss == 1) kept.loss = step->loss;
    }
    std::stable_sort(steps.last_steps.begin(), steps.last_steps.end(),
                     [](const auto& a, const auto& b) { return a.number < b.number; });
    return steps;
}

AgentSiteRecord site_of(const AgentSlot& slot, const format::AgentSite& from,
                        const std::vector<std::uint32_t>& windows) {
    AgentSiteRecord site;
    site.stack = numbers(slot, from.stack.frames);
    site.flags = from.flags;
    site.live_blocks = from.live_blocks;
    site.live_bytes = amount(from.live_bytes);
    site.peak_bytes = std::max(amount(from.peak_bytes), site.live_bytes);
    site.total_bytes = from.total_bytes;
    const double deviation = std::sqrt(static_cast<double>(from.variance_kib2)) * 1024.0;
    site.error_bytes = static_cast<std::uint64_t>(deviation);
    for (const std::uint32_t window : windows)
        site.live_at_window.push_back(std::uint64_t{from.live_kib[window]} << 10U);
    return site;
}

AgentMemoryRecord memory_of(const AgentSlot& slot) {
    const format::AgentMemory& from = slot.memory;
    AgentMemoryRecord memory;
    memory.live_bytes = amount(from.live_bytes);
    memory.peak_bytes = amount(from.peak_bytes);
    memory.arena_bytes = amount(from.arena_bytes);
    std::vector<std::uint32_t> kept;
    // If the process died while it thinned the windows, some exist twice: keep only rising times.
    for (std::uint32_t i = 0; i < std::min(from.window_count, format::agent_windows); ++i) {
        format::AgentWindow window = from.windows[i];
        if (window.end <= 0) continue;
        if (!memory.windows.empty() &&
            (window.end <= memory.windows.back().end || window.step < memory.windows.back().step))
            continue;
        if (window.rss > most_bytes) window.rss = format::unknown;
        if (window.gpu_allocated > most_bytes) window.gpu_allocated = format::unknown;
        window.tracked = amount(window.tracked);
        window.arenas = amount(window.arenas);
        memory.windows.push_back(window);
        kept.push_back(i);
    }
    for (std::uint32_t i = 0; i < format::agent_snapshots; ++i)
        if (const format::AgentSnapshot& snapshot = slot.snapshots[i]; snapshot.time > 0)
            memory.snapshots.push_back({static_cast<format::AgentSnapshotKind>(i),
                                        snapshot.time,
                                        amount(snapshot.live_bytes),
                                        {},
                                        {}});
    const std::uint32_t sites = std::min(from.site_count, format::agent_site_capacity);
    for (std::uint32_t i = 0; i < sites; ++i) {
        if (from.sites[i].peak_bytes == 0 && from.sites[i].live_bytes == 0) continue;
        memory.sites.push_back(site_of(slot, from.sites[i], kept));
        for (AgentSnapshotRecord& snapshot : memory.snapshots) {
            const auto kind = static_cast<std::uint32_t>(snapshot.kind);
            snapshot.live.push_back(std::uint64_t{slot.snapshots[kind].live_kib[i]} << 10U);
            snapshot.blocks.push_back(slot.snapshot_blocks[kind].live[i]);
        }
    }
    return memory;
}

void add_events(const AgentSlot& slot, AgentRecord& agent) {
    for (const format::AgentSignal* signal : written(slot.signals)) {
        if (signal->number < 1 || signal->number > 64) continue;
        agent.signals.push_back({signal->time, signal->number, signal->code, signal->sender_pid,
                                 signal->sender_uid, fixed_text(signal->sender)});
    }
    for (const format::AgentException* thrown : written(slot.exceptions)) {
        AgentExceptionRecord& kept = agent.exceptions.emplace_back();
        kept.time = thrown->time;
        kept.tid = thrown->tid;
        kept.in_main_thread = thrown->in_main_thread == 1;
        kept.thread = fixed_text(thrown->thread);
        kept.type = fixed_text(thrown->type);
        kept.message = fixed_text(thrown->message);
        kept.causes = fixed_text(thrown->causes);
        kept.frames = numbers(slot, thrown->frames, thrown->frame_count);
    }
    for (const format::AgentNote* note : written(slot.notes)) {
        const std::size_t size = std::min<std::size_t>(note->text_size, sizeof note->text);
        agent.notes.push_back(
            {note->time, note->kind, note->a, note->b, printable({note->text, size})});
    }
    if (slot.exit.time > 0 && slot.exit.kind != format::AgentExitKind::none)
        agent.exit = AgentExitRecord{slot.exit.time, slot.exit.kind, slot.exit.status,
                                     numbers(slot, slot.exit.stack.frames)};
}

std::optional<AgentRefusalRecord> refusal_of(const AgentSlot& slot,
                                             const format::AgentRefusal& from) {
    using Kind = format::GuardEventKind;
    if (from.time <= 0 || from.kind == static_cast<std::uint32_t>(Kind::none) ||
        from.kind > static_cast<std::uint32_t>(Kind::brink))
        return std::nullopt;
    return AgentRefusalRecord{
        from.time,          amount(from.asked),           amount(from.room),
        amount(from.limit), static_cast<Kind>(from.kind), numbers(slot, from.stack.frames)};
}

// `frames` as they were read, so that a kernel's name is as printable as a function's.
std::optional<AgentLaunchesRecord> launches_of(const format::AgentLaunches& from,
                                               const std::vector<AgentFrameText>& frames) {
    if (from.time <= 0) return std::nullopt;
    AgentLaunchesRecord launches;
    launches.time = from.time;
    launches.all_seen = from.lost == 0 && from.count <= format::agent_launch_rows;
    launches.elsewhere = (from.flags & format::launches_elsewhere) != 0;
    launches.graphs = (from.flags & format::launches_of_graphs) != 0;
    std::vector<std::pair<std::uint32_t, AgentLaunchRecord>> rows;
    for (std::uint32_t i = 0; i < std::min(from.count, format::agent_launch_rows); ++i) {
        const format::AgentLaunch& row = from.rows[i];
        AgentLaunchRecord launch;
        if (row.kernel < frames.size() && frames[row.kernel].file.empty())
            launch.kernel = frames[row.kernel].function;
        if (row.frame < frames.size() && !frames[row.frame].file.empty()) launch.line = row.frame;
        launch.borrowed = (row.flags & format::launch_borrowed) != 0;
        launch.count = row.count;
        rows.emplace_back(row.first, std::move(launch));
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [order, row] : rows) launches.rows.push_back(std::move(row));
    return launches;
}

}  // namespace

std::optional<AgentRecord> read_agent_slot(std::span<const std::byte> bytes) {
    // Reads a slot that was cut short (a truncated file) as if the rest were never written.
    const auto slot = std::make_unique<AgentSlot>();
    if (!bytes.empty())
        std::memcpy(static_cast<void*>(slot.get()), bytes.data(),
                    std::min(bytes.size(), sizeof(AgentSlot)));
    if (slot->taken <= 0 || slot->pid <= 0) return std::nullopt;
    AgentRecord agent;
    agent.pid = slot->pid;
    agent.start_ticks = slot->start_ticks;
    agent.taken = slot->taken;
    agent.ended = std::max<std::int64_t>(slot->ended, 0);
    if (slot->python_major < 100 && slot->python_minor < 1000 && slot->python_micro < 1000) {
        agent.python_major = slot->python_major;
        agent.python_minor = slot->python_minor;
        agent.python_micro = slot->python_micro;
    }
    agent.free_threaded = (slot->python_flags & 1U) != 0;
    agent.lines_readable = (slot->python_flags & 2U) != 0;
    agent.place_time = std::max<std::int64_t>(slot->place.time, 0);
    agent.visit_asked = std::max<std::int64_t>(slot->visit_asked, 0);
    agent.place = numbers(*slot, slot->place.stack.frames);
    agent.frames = frames_of(*slot);
    add_events(*slot, agent);
    agent.steps = steps_of(slot->steps);
    agent.memory = memory_of(*slot);
    agent.guard = {slot->guard.refused, slot->guard.warned, refusal_of(*slot, slot->guard.first),
                   refusal_of(*slot, slot->guard.last)};
    for (const format::AgentKeeper& keeper : slot->keepers)
        if (keeper.time > 0)
            agent.keepers.push_back({keeper.time, amount(keeper.items), amount(keeper.bytes),
                                     amount(keeper.grown), keeper.graphs == 1, keeper.graphs == 2,
                                     keeper.graphs == 3, fixed_text(keeper.name),
                                     fixed_text(keeper.kind), fixed_text(keeper.file)});
    agent.launches = launches_of(slot->launches, agent.frames);
    return agent;
}

}  // namespace holdfast
