#include "supervise/step_watch.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "base/format.h"
#include "record/agent_format.h"

namespace holdfast {
namespace {

template <class T>
bool read_at(int fd, std::size_t offset, T& into) {
    return ::pread(fd, &into, sizeof into, static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(sizeof into);
}

// The first fields of AgentSteps.
struct StepsHead {
    std::uint64_t count, epoch;
    std::int64_t first, last;
    std::uint64_t first_nonfinite_step;
    double nonfinite_value;
    std::uint64_t usual_ns, longest_ns;
};
static_assert(offsetof(format::AgentSteps, longest_ns) == offsetof(StepsHead, longest_ns));

// The program writes these figures, so they may be anything.
Nanos bounded(std::uint64_t nanoseconds) {
    constexpr std::uint64_t a_year = 31'536'000'000'000'000;
    return Nanos(static_cast<std::int64_t>(std::min(nanoseconds, a_year)));
}

// Whether the ring has losses, but no finite one.
bool none_is_finite(int box, std::size_t at) {
    format::AgentStep ring[format::agent_step_ring];
    if (!read_at(box, at, ring)) return false;
    const auto finite = [](const format::AgentStep& step) {
        return step.has_loss == 1 && std::isfinite(step.loss);
    };
    const auto known = [](const format::AgentStep& step) { return step.has_loss == 1; };
    return std::any_of(std::begin(ring), std::end(ring), known) &&
           std::none_of(std::begin(ring), std::end(ring), finite);
}

}  // namespace

std::optional<std::string> words_about_worthless_steps(const StepsSeen& steps) {
    if (!steps.worthless_since || steps.count - *steps.worthless_since < many_worthless_steps)
        return std::nullopt;
    return formatted(
        "the loss has not been a finite number since step {}: the {} steps since then trained "
        "nothing (holdfast explain nan-loss)",
        *steps.worthless_since, steps.count - *steps.worthless_since);
}

std::optional<StepsSeen> StepWatch::look(const std::function<bool(pid_t)>& alive) const {
    format::AgentIndex index{};
    if (!box_ || !read_at(box_.get(), format::agent_index_offset, index)) return std::nullopt;
    StepsSeen most;
    for (std::uint32_t slot = 0; slot < format::agent_slots; ++slot) {
        // The slot of a killed process keeps its owner until another process needs the slot.
        const auto pid = static_cast<pid_t>(index.owner[slot] & 0xFFFFFFFFU);
        if (pid <= 0 || !alive(pid)) continue;
        StepsHead head{};
        const std::size_t at = format::agent_slots_offset + slot * format::agent_slot_space;
        if (!read_at(box_.get(), at + offsetof(format::AgentSlot, steps), head)) continue;
        most.in_all += head.count;
        if (head.count <= most.count || head.last <= 0 || head.first <= 0) continue;
        most.pid = pid;
        most.count = head.count;
        std::int64_t turned = 0;
        (void)read_at(box_.get(), at + offsetof(format::AgentSlot, cell_turned), turned);
        most.of_an_earlier_cell = head.last < turned;
        most.first = Nanos(head.first);
        most.last = Nanos(head.last);
        most.usual = bounded(head.usual_ns);
        most.longest = bounded(head.longest_ns);
        most.worthless_since.reset();
        const std::size_t ring = at + offsetof(format::AgentSlot, steps.ring);
        if (head.first_nonfinite_step > 0 && head.first_nonfinite_step < head.count &&
            none_is_finite(box_.get(), ring))
            most.worthless_since = head.first_nonfinite_step;
    }
    if (most.count == 0) return std::nullopt;
    return most;
}

Nanos StepWatch::last_turn_of_cells(const std::function<bool(pid_t)>& alive) const {
    format::AgentIndex index{};
    if (!box_ || !read_at(box_.get(), format::agent_index_offset, index)) return {};
    std::int64_t last = 0;
    for (std::uint32_t slot = 0; slot < format::agent_slots; ++slot) {
        const auto pid = static_cast<pid_t>(index.owner[slot] & 0xFFFFFFFFU);
        if (pid <= 0 || !alive(pid)) continue;
        std::int64_t turned = 0;
        const std::size_t at = format::agent_slots_offset + slot * format::agent_slot_space;
        if (read_at(box_.get(), at + offsetof(format::AgentSlot, cell_turned), turned))
            last = std::max(last, turned);
    }
    return Nanos(last);
}

}  // namespace holdfast
