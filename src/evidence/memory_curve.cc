// Memory in use against the limit over the run. The limit is the container's if that is below the
// machine's memory, else the machine's memory.
#include <algorithm>

#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

constexpr std::size_t most_points = 512;

bool limited(const format::Sample& s) {
    return s.cgroup_limit != format::unknown && s.cgroup_usage != format::unknown &&
           (s.mem_total == format::unknown || s.cgroup_limit < s.mem_total);
}

bool host_known(const format::Sample& s) {
    return s.mem_total != format::unknown && s.mem_available != format::unknown &&
           s.mem_available <= s.mem_total;
}

std::optional<CurvePoint> point_of(const format::Sample& s, bool container, const RunClock& clock) {
    if (container) {
        if (!limited(s)) return std::nullopt;
        return CurvePoint{clock.at(s.time), Bytes{s.cgroup_usage}, Bytes{s.cgroup_limit},
                          s.cgroup_headroom == format::unknown
                              ? std::nullopt
                              : std::optional(Bytes{s.cgroup_headroom})};
    }
    if (!host_known(s)) return std::nullopt;
    return CurvePoint{clock.at(s.time), Bytes{s.mem_total - s.mem_available}, Bytes{s.mem_total},
                      Bytes{s.mem_available}};
}

// The history up to where the samples begin, then the samples; time never goes back.
std::vector<format::Sample> merged(const RunRecord& record) {
    std::vector<format::Sample> all;
    const auto add = [&](const format::Sample& s) {
        if (all.empty() || s.time > all.back().time) all.push_back(s);
    };
    for (const format::Sample& s : record.history)
        if (record.samples.empty() || s.time < record.samples.front().time) add(s);
    for (const format::Sample& s : record.samples) add(s);
    return all;
}

// Keeps the highest point of each group of neighbours, so that thinning loses no peak.
std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& points) {
    if (points.size() <= most_points) return points;
    std::vector<CurvePoint> kept;
    const std::size_t group = (points.size() + most_points - 1) / most_points;
    for (std::size_t begin = 0; begin < points.size(); begin += group) {
        const std::size_t end = std::min(begin + group, points.size());
        const CurvePoint* highest = &points[begin];
        for (std::size_t i = begin; i < end; ++i)
            if (points[i].taken() >= highest->taken()) highest = &points[i];
        kept.push_back(*highest);
    }
    return kept;
}

bool moved(const std::optional<std::uint64_t>& first, const std::optional<std::uint64_t>& last) {
    return first && last && *last > *first;
}

// The kernel's peak may be older than the run. It belongs to the run if the limit was hit during
// it.
std::optional<Bytes> peak_at_limit(const CgroupEvidence& chain, Bytes limit) {
    for (const CgroupLevel& level : chain.levels) {
        if (level.limit != limit || !level.peak) continue;
        const bool hit = moved(level.limit_hits_first, level.limit_hits_last) ||
                         moved(level.oom_first, level.oom_last) ||
                         moved(level.oom_kill_first, level.oom_kill_last);
        if (hit) return level.peak;
    }
    return std::nullopt;
}

}  // namespace

MemorySummary memory(const RunRecord& record, const RunClock& clock,
                     const CgroupEvidence* own_chain) {
    MemorySummary memory;
    const std::vector<format::Sample> samples = merged(record);
    const auto newest = std::find_if(samples.rbegin(), samples.rend(),
                                     [](const auto& s) { return limited(s) || host_known(s); });
    if (newest == samples.rend()) return memory;
    const bool container = limited(*newest);
    std::vector<CurvePoint> points;
    for (const format::Sample& s : samples)
        if (const auto point = point_of(s, container, clock)) points.push_back(*point);
    for (const CurvePoint& point : points)
        memory.peak = std::max(memory.peak.value_or(Bytes{}), point.used);
    memory.limit = points.back().limit;
    memory.limit_name = container ? "container limit" : "machine memory";
    memory.curve = thinned(points);
    if (container && own_chain != nullptr)
        if (const auto peak = peak_at_limit(*own_chain, *memory.limit))
            memory.peak = std::max(*memory.peak, *peak);
    return memory;
}

}  // namespace holdfast::gatherers
