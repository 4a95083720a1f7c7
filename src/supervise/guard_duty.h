// The supervisor's part of the guard: publishes how much memory is left, calls the program at the
// brink, tells the user, and ends a program that is stuck after a refusal.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/child.h"
#include "base/time.h"
#include "supervise/brink.h"
#include "supervise/event_log.h"
#include "supervise/headroom_page.h"
#include "supervise/observer.h"
#include "supervise/run_options.h"
#include "supervise/stall_watch.h"

namespace holdfast {

// For a program that has not moved since it was refused memory. `grace` is absent if it will not be
// ended for that.
std::string stuck_words(Nanos lasted, const std::string& place, std::optional<Nanos> grace);

// One line for the user about the first time that the guard was needed.
std::string words_about(const GuardCrossing& crossing, format::GuardMode mode);

// Recognises a program that is stuck because the guard refused it memory: it did not handle the
// error, and other threads or processes wait for the one that got it. Without the guard it would
// have been killed.
class RefusalWatch {
public:
    // After a refusal, a proven standstill is reported this early.
    static constexpr Nanos patience = std::chrono::seconds(10);

    // Takes news of the stall watch. Returns true, once per standstill, if the program has not
    // moved since the refusal, most likely because of it.
    bool on_stall(Nanos now, const StallNews& news, std::optional<Nanos> refused);
    // Returns true, once, if the grace is over and the program still does not move.
    bool should_end(Nanos now, std::optional<Nanos> grace);

private:
    std::optional<Nanos> stuck_;  // when it was reported
    bool ended_ = false;
};

class GuardDuty {
public:
    // Nothing if the guard is switched off or impossible; the event log then says why. The
    // arguments must outlive the result.
    static std::optional<GuardDuty> start(const RunOptions& options, RunDirectory& directory,
                                          Observer& observer, EventLog& events);

    // At every look of the supervisor, and once after the command's end.
    void serve(Nanos now, const std::vector<CgroupAddress>& cgroups, Child& command);
    // When glance() is due: near the limit the supervisor's own looks are too far apart.
    Nanos next_look() const { return next_look_; }
    void glance(Nanos now);
    void on_stall(Nanos now, const StallNews& news);

    // New descriptors by which the kernel notifies us of the brink. drain() reads them empty.
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
