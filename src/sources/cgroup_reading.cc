#include "sources/cgroup_reading.h"

#include <algorithm>

#include "sources/figures.h"

namespace holdfast::sources {
namespace {

// v1 shows "no limit" as LONG_MAX rounded down to whole pages, which is 2^63 - 65536 with 64 KiB
// pages; before 3.19 it was ULLONG_MAX / 2. Nobody has 4 EiB, so everything above means no limit.
constexpr std::uint64_t no_v1_limit = std::uint64_t{1} << 62U;

struct StatRow {
    std::string_view v1, v2;
    std::optional<Bytes> CgroupMemoryStat::*slot;
};

constexpr StatRow rows[] = {
    {"total_rss", "anon", &CgroupMemoryStat::anon},
    {"total_cache", "file", &CgroupMemoryStat::file},
    {"total_shmem", "shmem", &CgroupMemoryStat::shmem},
    {"total_inactive_file", "inactive_file", &CgroupMemoryStat::inactive_file},
    {"total_active_file", "active_file", &CgroupMemoryStat::active_file},
    {"total_dirty", "file_dirty", &CgroupMemoryStat::dirty},
    {"total_writeback", "file_writeback", &CgroupMemoryStat::writeback},
    {"", "kernel", &CgroupMemoryStat::kernel},
};

}  // namespace

std::optional<std::uint64_t> parse_cgroup_count(std::string_view text) {
    return parse_number<std::uint64_t>(trim(text));
}

std::optional<CgroupLimit> parse_cgroup_limit(std::string_view text) {
    text = trim(text);
    if (text == "max") return CgroupLimit{};
    const auto number = parse_number<std::uint64_t>(text);
    if (!number) return std::nullopt;
    if (*number >= no_v1_limit) return CgroupLimit{};
    return CgroupLimit{*number};
}

CgroupEvents parse_cgroup_events(std::string_view text) {
    CgroupEvents events;
    for_each_field(text, ' ', [&](const FigureField& field) {
        const auto take = [&] { return parse_number<std::uint64_t>(field.value); };
        if (field.key == "max") events.max = take();
        if (field.key == "oom") events.oom = take();
        if (field.key == "oom_kill") events.oom_kill = take();
        if (field.key == "oom_group_kill") events.oom_group_kill = take();
    });
    return events;
}

CgroupMemoryStat parse_cgroup_memory_stat(std::string_view text, int version) {
    CgroupMemoryStat stat;
    for_each_field(text, ' ', [&](const FigureField& field) {
        for (const StatRow& row : rows)
            if (field.key == (version == 1 ? row.v1 : row.v2))
                stat.*row.slot = parse_bytes(field.value);
    });
    return stat;
}

namespace {

// File pages that the kernel can drop at once: dirty ones must be written first. Never more than is
// in use: a larger figure was read at another moment.
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
