#include "supervise/event_log.h"

#include <algorithm>

namespace holdfast {
namespace {

format::Event event_at(Nanos now, format::EventKind kind) {
    format::Event event{};
    event.time = now.count();
    event.kind = kind;
    return event;
}

}  // namespace

void EventLog::signal(Nanos now, const SignalEvent& seen) {
    format::Event event = event_at(now, format::EventKind::signal);
    event.a = seen.number;
    event.b = seen.sender_pid;
    event.c = seen.sender_uid;
    event.d = (seen.from_kernel ? 1 : 0) | (seen.whole_group ? 2 : 0);
    write(event, seen.sender);
}

void EventLog::oom_kill_moved(Nanos now, int cgroup_slot, std::uint64_t before, std::uint64_t after,
                              Nanos last_look) {
    format::Event event = event_at(now, format::EventKind::oom_kill_moved);
    event.a = cgroup_slot;
    event.b = static_cast<std::int64_t>(before);
    event.c = static_cast<std::int64_t>(after);
    event.d = last_look.count();
    write(event, {});
}

void EventLog::userspace_oom_mark(Nanos now, int cgroup_slot, std::string_view mark) {
    format::Event event = event_at(now, format::EventKind::userspace_oom_mark);
    event.a = cgroup_slot;
    write(event, mark);
}

void EventLog::kernel_line(Nanos now, Nanos stamped, std::string_view text) {
    format::Event event = event_at(now, format::EventKind::kernel_log);
    event.d = stamped.count();
    write(event, text);
}

void EventLog::process_ended(Nanos now, pid_t pid, int wait_status) {
    format::Event event = event_at(now, format::EventKind::process_ended);
    event.a = pid;
    event.b = wait_status;
    write(event, {});
}

void EventLog::missing(Nanos now, MissingKind what, std::string_view detail) {
    format::Event event = event_at(now, format::EventKind::missing);
    event.a = static_cast<std::int64_t>(what);
    write(event, detail);
}

void EventLog::write(format::Event event, std::string_view text) {
    const std::size_t size = std::min(text.size(), sizeof event.text);
    std::copy_n(text.data(), size, event.text);  // not memcpy: an empty view's pointer may be null
    event.text_size = static_cast<std::uint32_t>(size);
    ring_->append(event);
}

}  // namespace holdfast
