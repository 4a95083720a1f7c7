// Stalls of the program, as the supervisor saw them.
#include <algorithm>

#include "evidence/clean_text.h"
#include "evidence/gatherers.h"
#include "record/stall_text.h"

namespace holdfast::gatherers {
namespace {

WaitingThread thread_of(StallThread from) {
    WaitingThread thread;
    thread.tid = from.tid;
    thread.name = clean(from.name, 256);  // chosen by the program
    if (from.state != '?') thread.state = from.state;
    thread.wait = from.wait;
    thread.timed = from.timed;
    thread.inside = from.inside;
    thread.own_lock = from.own_lock;
    thread.holds_gil = from.holds_gil;
    thread.call = std::move(from.call);
    thread.wait_channel = std::move(from.wait_channel);
    thread.target = clean(from.target, 512);
    thread.owner = from.owner;
    thread.native = std::move(from.native);
    for (auto frame = from.frames.rbegin(); frame != from.frames.rend(); ++frame)
        thread.frames.push_back({std::move(frame->file), frame->line, std::move(frame->function)});
    return thread;
}

StalledProcess process_of(const format::StalledProcess& row) {
    StalledProcess process;
    process.pid = row.pid;
    process.traced = row.traced != 0;
    const std::string_view text(row.text, std::min<std::size_t>(row.text_size, sizeof row.text));
    for (StallThread& thread : parse_stall_text(text))
        process.threads.push_back(thread_of(std::move(thread)));
    return process;
}

std::optional<Nanos> nanos(std::uint64_t value) {
    if (value == format::unknown || value == 0) return std::nullopt;
    return bounded_nanos(value);
}

StallEvidence stall_of(const format::Stall& row, const RunClock& clock) {
    StallEvidence stall;
    stall.since = clock.at(row.since);
    stall.seen = clock.at(row.seen);
    stall.told = clock.known(row.told);
    stall.moved = clock.known(row.moved);
    stall.busy = (row.flags & format::stall_busy) != 0;
    stall.inside_only = (row.flags & format::stall_inside_only) != 0;
    if ((row.flags & format::stall_in_loop) != 0)
        stall.in_loop =
            static_cast<int>((row.flags & format::stall_loop_frames) >> format::stall_loop_shift);
    stall.steps = row.steps;
    stall.last_step = clock.known(row.last_step);
    stall.usual = nanos(row.usual_ns);
    stall.longest = nanos(row.longest_ns);
    if (row.cpu_ns != format::unknown) stall.cpu = bounded_nanos(row.cpu_ns);
    return stall;
}

}  // namespace

std::vector<StallEvidence> stalls(const RunRecord& record, const RunClock& clock) {
    std::vector<format::Stall> rows = record.stalls;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.number < b.number; });
    std::vector<StallEvidence> all;
    for (const format::Stall& row : rows) {
        StallEvidence& stall = all.emplace_back(stall_of(row, clock));
        for (const format::StalledProcess& process : record.stalled)
            if (process.stall == row.number && process.pid > 0)
                stall.processes.push_back(process_of(process));
    }
    return all;
}

}  // namespace holdfast::gatherers
