#include "agent/heap/snapshot.h"

#include <atomic>

#include "agent/base/clock.h"
#include "agent/box/slot.h"
#include "agent/heap/state.h"

namespace holdfast::agent {
namespace {

using format::AgentSnapshot;

constexpr std::int64_t succession = 1'000'000'000;
constexpr int patience = 200;

}  // namespace

void keep_snapshot(format::AgentSnapshotKind kind) {
    format::AgentSlot* own = slot();
    HeapState* state = counting() ? heap_state() : nullptr;
    if (own == nullptr || state == nullptr) return;
    AgentSnapshot& snapshot = own->snapshots[static_cast<std::uint32_t>(kind)];
    const std::int64_t time = now();
    const bool again = snapshot.time != 0 && time - snapshot.time < succession;
    if (again && kind == format::AgentSnapshotKind::refusal) return;
    // Not a HeapLock: that one does not wait if the thread is already inside the agent, and during
    // a refusal it always is.
    const Busy inside;
    bool held = false;
    for (int i = 0; i < patience && !held; ++i) held = state->lock.try_lock();
    if (!held) return;
    std::atomic_ref(snapshot.time).store(0, std::memory_order_release);
    const std::uint32_t count = sites_in(own->memory);
    for (std::uint32_t i = 0; i < format::agent_site_capacity; ++i) {
        const std::uint64_t live = i < count ? own->memory.sites[i].live_bytes / kib : 0;
        snapshot.live_kib[i] = live < UINT32_MAX ? static_cast<std::uint32_t>(live) : UINT32_MAX;
        const std::uint32_t blocks = i < count ? own->memory.sites[i].live_blocks : 0;
        own->snapshot_blocks[static_cast<std::uint32_t>(kind)].live[i] =
            static_cast<std::uint16_t>(blocks < UINT16_MAX ? blocks : UINT16_MAX);
    }
    snapshot.live_bytes = own->memory.live_bytes;
    std::atomic_ref(snapshot.time).store(time, std::memory_order_release);
    state->lock.unlock();
}

void leave_snapshots(format::AgentMemory& memory, std::uint16_t site) {
    format::AgentSlot* own = slot();
    if (own == nullptr || &own->memory != &memory) return;
    for (AgentSnapshot& snapshot : own->snapshots) {
        snapshot.live_kib[other_site] += snapshot.live_kib[site];
        snapshot.live_kib[site] = 0;
    }
    for (format::AgentSnapshotBlocks& blocks : own->snapshot_blocks) {
        const std::uint32_t sum = std::uint32_t{blocks.live[other_site]} + blocks.live[site];
        blocks.live[other_site] = static_cast<std::uint16_t>(sum < UINT16_MAX ? sum : UINT16_MAX);
        blocks.live[site] = 0;
    }
}

}  // namespace holdfast::agent
