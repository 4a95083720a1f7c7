// The signals that reached the program by way of the supervisor.
#include "evidence/clean_text.h"
#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

constexpr std::int64_t from_kernel = 1;
constexpr std::int64_t whole_group = 2;

std::optional<int> id(std::int64_t value) {
    if (value < 0 || value > INT32_MAX) return std::nullopt;
    return static_cast<int>(value);
}

}  // namespace

std::vector<SignalSeen> signals(const RunRecord& record, const RunClock& clock) {
    std::vector<SignalSeen> all;
    for (const format::Event& event : record.events) {
        if (event.kind != format::EventKind::signal || event.a < 1 || event.a > 64) continue;
        SignalSeen seen;
        seen.time = clock.at(event.time);
        seen.number = static_cast<int>(event.a);
        seen.sender_pid = id(event.b);
        seen.sender_uid = id(event.c);
        seen.sender = clean(event_text(event), 200);
        seen.from_kernel = (event.d & from_kernel) != 0;
        seen.whole_group = (event.d & whole_group) != 0;
        all.push_back(std::move(seen));
    }
    return all;
}

}  // namespace holdfast::gatherers
