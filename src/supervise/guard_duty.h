// The supervisor's part of the guard: publishes how much memory is left, calls the program at the
// brink, and ends a program that is stuck after a refusal.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/child.h"
#include "supervise/brink_pace.h"
#include "supervise/brink_watch.h"
#include "supervise/event_log.h"
#include "supervise/headroom_page.h"
#include "supervise/observer.h"
#include "supervise/refusal_watch.h"
#include "supervise/run_options.h"

namespace holdfast {

class GuardDuty {
public:
    // Nothing if the guard is switched off or not possible; the log then says why. The arguments
    // must outlive it.
    static std::optional<GuardDuty> start(const RunOptions& options, RunDirectory& directory,
                                          Observer& observer, EventLog& events);

    // At every look of the supervisor, and once after the command's end.
    void serve(Nanos now, const std::vector<CgroupAddress>& cgroups, Child& command);
    // Near the limit the supervisor's own looks are too far apart: glance() is due then.
    Nanos next_look() const { return next_look_; }
    void glance(Nanos now);
    void on_stall(Nanos now, const StallNews& news);

    // Descriptors by which the kernel tells of the brink, new ones only; drain() makes them quiet.
    std::vector<int> take_new_fds() { return brink_.take_new_fds(); }
    void drain() { brink_.drain(); }

private:
    GuardDuty(const RunOptions& options, HeadroomPage page, Observer& observer)
        : options_(&options), page_(std::move(page)), observer_(&observer) {}
    bool refuses() const { return options_->guard.mode == format::GuardMode::on; }
    void look_at_brink(Nanos now, const std::vector<CgroupAddress>& cgroups);
    void end_stuck_tree(Child& command);

    const RunOptions* options_;
    HeadroomPage page_;
    Observer* observer_;
    BrinkWatch brink_;
    BrinkPace pace_;
    RefusalWatch refusals_;
    std::string first_refused_at_;
    Nanos next_look_ = Nanos::max();
    Nanos last_call_{};
};

}  // namespace holdfast
