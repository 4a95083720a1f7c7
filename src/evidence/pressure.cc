// How much of the last minute was lost to memory and disks, from totals that only grow.
#include <algorithm>

#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

constexpr Nanos longest_window = std::chrono::seconds(60);
constexpr Nanos shortest_window = std::chrono::seconds(1);  // below it a percentage is noise

std::optional<double> rate(std::uint64_t before, std::uint64_t after, double seconds_between) {
    // A total that fell is another boot's, or a forger's.
    if (before == format::unknown || after == format::unknown || after < before)
        return std::nullopt;
    return static_cast<double>(after - before) / seconds_between;
}

std::optional<double> percent(std::uint64_t before_us, std::uint64_t after_us, double between) {
    const auto stalled = rate(before_us, after_us, between);
    if (!stalled) return std::nullopt;
    return std::min(*stalled / 1e6 * 100.0, 100.0);
}

}  // namespace

PressureEvidence pressure(std::span<const format::Sample> samples) {
    if (samples.empty()) return {};
    const format::Sample& last = samples.back();
    const format::Sample* first = &last;
    for (std::size_t i = samples.size(); i-- > 0;) {
        const Nanos age(bounded_difference(last.time, samples[i].time));
        if (age < Nanos(0) || age > longest_window) break;
        first = &samples[i];
    }
    const Nanos window(bounded_difference(last.time, first->time));
    if (window < shortest_window) return {};
    const double between = seconds(window);
    PressureEvidence pressure;
    pressure.window = window;
    pressure.memory_some = percent(first->psi_memory_some_us, last.psi_memory_some_us, between);
    pressure.memory_full = percent(first->psi_memory_full_us, last.psi_memory_full_us, between);
    pressure.cpu_some = percent(first->psi_cpu_some_us, last.psi_cpu_some_us, between);
    pressure.io_full = percent(first->psi_io_full_us, last.psi_io_full_us, between);
    pressure.major_faults_per_second = rate(first->vm_major_faults, last.vm_major_faults, between);
    pressure.swap_in_pages_per_second = rate(first->vm_swap_in, last.vm_swap_in, between);
    return pressure;
}

}  // namespace holdfast::gatherers
