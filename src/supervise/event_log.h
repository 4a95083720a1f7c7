// Writes what happens during a run into the black box's ring of events.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/missing_kind.h"
#include "base/time.h"
#include "record/format.h"
#include "record/section_writer.h"

namespace holdfast {

struct SignalEvent {
    int number = 0;
    pid_t sender_pid = 0;
    uid_t sender_uid = 0;
    bool from_kernel = false;
    bool whole_group = false;
    std::string sender;  // masked
};

class EventLog {
public:
    explicit EventLog(RingWriter<format::Event>& ring) : ring_(&ring) {}

    void signal(Nanos now, const SignalEvent& seen);
    void oom_kill_moved(Nanos now, int cgroup_slot, std::uint64_t before, std::uint64_t after,
                        Nanos last_look);
    void userspace_oom_mark(Nanos now, int cgroup_slot, std::string_view mark);
    void kernel_line(Nanos now, Nanos stamped, std::string_view text);
    void process_ended(Nanos now, pid_t pid, int wait_status);
    // `detail`: what the kind does not say, such as a reason; the sentence is made by who reads it.
    void missing(Nanos now, MissingKind what, std::string_view detail = {});

private:
    void write(format::Event event, std::string_view text);

    RingWriter<format::Event>* ring_;
};

}  // namespace holdfast
