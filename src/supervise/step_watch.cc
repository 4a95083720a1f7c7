#include "supervise/step_watch.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "record/agent_format.h"

namespace holdfast {
namespace {

template <class T>
bool read_at(int fd, std::size_t offset, T& into) {
    return ::pread(fd, &into, sizeof into, static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(sizeof into);
}

// The figures that AgentSteps begins with.
struct StepsHead {
    std::uint64_t count, epoch;
    std::int64_t first, last;
    std::uint64_t first_nonfinite_step;
    double nonfinite_value;
    std::uint64_t usual_ns, longest_ns;
};
static_assert(offsetof(format::AgentSteps, longest_ns) == offsetof(StepsHead, longest_ns));

// The program writes these: a figure may be anything.
Nanos bounded(std::uint64_t nanoseconds) {
    constexpr std::uint64_t a_year = 31'536'000'000'000'000;
    return Nanos(static_cast<std::int64_t>(std::min(nanoseconds, a_year)));
}

}  // namespace

std::optional<StepsSeen> StepWatch::look(const std::function<bool(pid_t)>& alive) const {
    format::AgentIndex index{};
    if (!box_ || !read_at(box_.get(), format::agent_index_offset, index)) return std::nullopt;
    StepsSeen most;
    for (std::uint32_t slot = 0; slot < format::agent_slots; ++slot) {
        // One that was killed keeps its slot until another process wants it.
        const auto pid = static_cast<pid_t>(index.owner[slot] & 0xFFFFFFFFU);
        if (pid <= 0 || !alive(pid)) continue;
        StepsHead head{};
        const std::size_t at = format::agent_slots_offset + slot * format::agent_slot_space;
        if (!read_at(box_.get(), at + offsetof(format::AgentSlot, steps), head)) continue;
        most.in_all += head.count;
        if (head.count <= most.count || head.last <= 0 || head.first <= 0) continue;
        most.pid = pid;
        most.count = head.count;
        most.first = Nanos(head.first);
        most.last = Nanos(head.last);
        most.usual = bounded(head.usual_ns);
        most.longest = bounded(head.longest_ns);
    }
    if (most.count == 0) return std::nullopt;
    return most;
}

}  // namespace holdfast
