#include "sources/cgroup_reading.h"

#include <algorithm>

namespace holdfast::sources {
namespace {

// File pages the kernel can drop at once; those not yet written must wait for the disk. Never more
// than is in use: a larger figure was read at another moment.
Bytes droppable(const CgroupMemoryStat& stat, Bytes usage) {
    const auto part = [&](const std::optional<Bytes>& size) {
        return std::min(size.value_or(Bytes{}), usage);
    };
    const Bytes clean =
        part(stat.active_file) + part(stat.inactive_file) - part(stat.dirty) - part(stat.writeback);
    return std::min(clean, usage);
}

}  // namespace

std::optional<Bytes> headroom(std::span<const CgroupMemoryLevel> levels) {
    std::optional<Bytes> least;
    for (const CgroupMemoryLevel& level : levels) {
        if (!level.limit || !level.usage) continue;
        const Bytes fixed = *level.usage - droppable(level.stat, *level.usage);
        const Bytes room = *level.limit - fixed;
        if (!least || room < *least) least = room;
    }
    return least;
}

}  // namespace holdfast::sources
