// Writes down the launches that may have failed, by kernel and line.
#include "agent/base/clock.h"
#include "agent/box/frame_table.h"
#include "agent/box/slot.h"
#include "agent/launch/launches.h"
#include "agent/launch/slots.h"
#include "agent/launch/state.h"

namespace holdfast::agent {
namespace {

using format::AgentLaunch;
using format::AgentLaunches;

// The same kernel from the same line, on whatever stream and from whichever call of the line.
AgentLaunch* row_for(AgentLaunches& into, const AgentLaunch& launch) {
    for (std::uint32_t i = 0; i < into.count; ++i) {
        AgentLaunch& row = into.rows[i];
        if (row.kernel == launch.kernel && row.frame == launch.frame && row.flags == launch.flags)
            return &row;
    }
    if (into.count == format::agent_launch_rows) return nullptr;
    AgentLaunch& row = into.rows[into.count++];
    row = launch;
    row.count = 0;
    return &row;
}

void add(const LaunchState& state, const LaunchSite& site, AgentLaunches& into) {
    AgentLaunch launch{};
    const Text kernel = state.names.of(site.function.load(std::memory_order_relaxed));
    launch.kernel = kernel.empty() ? format::no_frame : intern_frame({}, kernel, 0);
    launch.frame = site.line.code == 0 ? format::no_frame : frame_number(site.line);
    if (site.borrowed) launch.flags = format::launch_borrowed;
    launch.first = site.first.load(std::memory_order_relaxed);
    AgentLaunch* row = row_for(into, launch);
    if (row == nullptr) {
        ++into.lost;
        return;
    }
    row->count += site.count.load(std::memory_order_relaxed);
    if (launch.first < row->first) row->first = launch.first;
}

}  // namespace

void keep_launches(bool elsewhere) {
    const Busy inside;
    LaunchState* state = launch_state();
    format::AgentSlot* own = slot();
    if (state == nullptr || own == nullptr || state->kept.exchange(true)) return;
    AgentLaunches& into = own->launches;
    into.count = 0;
    into.lost = state->sites.dropped();
    into.flags = 0;
    if (elsewhere || others_launch()) into.flags |= format::launches_elsewhere;
    if (state->graphs.load(std::memory_order_relaxed)) into.flags |= format::launches_of_graphs;
    state->sites.each([&](const LaunchSite& site) {
        if (LaunchSites::open(site)) add(*state, site, into);
    });
    std::atomic_ref(into.time).store(now(), std::memory_order_release);
}

}  // namespace holdfast::agent
