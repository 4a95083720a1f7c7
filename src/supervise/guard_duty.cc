#include "supervise/guard_duty.h"

#include <unistd.h>

#include <csignal>

#include "base/format.h"
#include "supervise/brink.h"

namespace holdfast {

std::string stuck_words(Nanos lasted, const std::string& place, std::optional<Nanos> grace) {
    const std::string where = place.empty() ? std::string() : " at " + place;
    std::string text =
        formatted("guard: the program has been stuck for {} since memory was refused{}",
                  human(lasted), where);
    if (grace) text += formatted("; SIGTERM follows in {} (--guard-grace)", human(*grace));
    return text;
}

std::string words_about(const GuardCrossing& crossing, format::GuardMode mode) {
    using Kind = format::GuardEventKind;
    const bool on = mode == format::GuardMode::on;
    const std::string who =
        crossing.place.empty() ? formatted("process {}", crossing.pid) : crossing.place;
    const std::string did = on ? "refused" : "would have refused";
    std::string text;
    switch (crossing.kind) {
    case Kind::nothing_left:
        text = formatted("guard: {} memory at {}: {} of {} are left", did, who,
                         human(crossing.room), human(crossing.limit));
        break;
    case Kind::brink:
        text = formatted("guard: memory was about to run out at {}: {} of {} are left", who,
                         human(crossing.room), human(crossing.limit));
        break;
    case Kind::refused:
    case Kind::too_large:  // from an older agent
    case Kind::none:
        text = formatted("guard: {} {} at {}: {} of {} are left", did, human(crossing.asked), who,
                         human(crossing.room), human(crossing.limit));
        break;
    }
    return on ? text : text + "; --guard=on turns this into a MemoryError";
}

namespace {

// The error takes a while until everything else waits; an older error has been dealt with.
constexpr Nanos long_before = std::chrono::seconds(15);
// CPU time is measured about once a second.
constexpr Nanos unmeasured = std::chrono::seconds(2);

}  // namespace

bool RefusalWatch::on_stall(Nanos now, const StallNews& news, std::optional<Nanos> refused) {
    stuck_.reset();
    if (news.what != StallNews::What::stuck || !refused) return false;
    const Nanos since = now - news.lasted;
    if (*refused > since + unmeasured || since - *refused > long_before) return false;
    stuck_ = now;
    return true;
}

bool RefusalWatch::should_end(Nanos now, std::optional<Nanos> grace) {
    if (!stuck_ || !grace || ended_ || now - *stuck_ < *grace) return false;
    ended_ = true;
    return true;
}

namespace {

// The called thread must first reach its next line.
constexpr Nanos between_calls = std::chrono::milliseconds(2);
// An early call slows the program for a moment, and many programs come close to their limit without
// crossing it.
constexpr Nanos between_early_calls = std::chrono::milliseconds(75);

}  // namespace

std::optional<GuardDuty> GuardDuty::start(const RunOptions& options, RunDirectory& directory,
                                          Observer& observer, EventLog& events) {
    if (options.guard.mode == format::GuardMode::off) return std::nullopt;
    const Nanos now = monotonic_now();
    auto page = HeadroomPage::create(directory, options.guard);
    if (!page) {
        events.missing(now, MissingKind::guard_off, page.error().text);
        return std::nullopt;
    }
    GuardDuty duty(options, std::move(page).value(), observer);
    duty.page_.publish(now, observer.addresses(), observer.machine_headroom());
    if (observer.addresses().empty())
        events.missing(now, MissingKind::guard_off, "no memory cgroup is visible");
    return duty;
}

void GuardDuty::serve(Nanos now, const std::vector<CgroupAddress>& cgroups, Child& command) {
    page_.publish(now, cgroups, observer_->machine_headroom());
    look_at_brink(now, cgroups);
    brink_.follow(cgroups);
    page_.forget_listeners([this](int pid) {
        return observer_->tree().member(pid) != nullptr ||
               ::access(formatted("/proc/{}", pid).c_str(), F_OK) == 0;
    });
    if (const auto event = page_.take_first_event()) {
        first_refused_at_ = event->place;
        options_->warn(words_about(*event, options_->guard.mode));
    }
    if (!refuses() || !command) return;
    if (page_.last_refusal() && options_->stall_after > RefusalWatch::patience)
        observer_->stalls().set_patience(RefusalWatch::patience);
    if (!options_->kernel && refusals_.should_end(now, options_->guard.grace))
        end_stuck_tree(command);
}

void GuardDuty::glance(Nanos now) {
    observer_->glance_at_memory(now);
    // Tell those who asked for it before an error is raised.
    page_.tell_of_brink(observer_->addresses());
    look_at_brink(now, observer_->addresses());
}

// Near the limit: looks more often, and calls the program at the brink.
void GuardDuty::look_at_brink(Nanos now, const std::vector<CgroupAddress>& cgroups) {
    if (!refuses()) return;
    const CgroupAddress* tightest = nullptr;
    for (const CgroupAddress& one : cgroups)
        if (one.headroom && one.limit &&
            (tightest == nullptr || *one.headroom < *tightest->headroom))
            tightest = &one;
    next_look_ = Nanos::max();
    if (tightest == nullptr) return;
    const BrinkPace::Step step =
        pace_.next(now, *tightest->headroom, *tightest->limit, options_->guard.reserve);
    if (!step.look_again) return page_.forget_answers();
    next_look_ = now + *step.look_again;
    const bool certain = step.call == BrinkPace::Call::now;
    if (step.call == BrinkPace::Call::none ||
        now - last_call_ < (certain ? between_calls : between_early_calls))
        return;
    last_call_ = now;
    const BrinkCaller caller(observer_->tree());
    if (certain)
        caller.call(page_);
    else
        caller.announce(page_);
}

void GuardDuty::on_stall(Nanos now, const StallNews& news) {
    if (!refuses() || !refusals_.on_stall(now, news, page_.last_refusal())) return;
    options_->warn(stuck_words(news.lasted, first_refused_at_,
                               options_->kernel ? std::nullopt : options_->guard.grace));
}

// Without the guard the kernel would have killed it; asked to end, it can still save its work. Ask
// its children, too: they wait for each other, and nobody would be left to end them.
void GuardDuty::end_stuck_tree(Child& command) {
    for (const pid_t pid : observer_->tree().living()) {
        if (pid == command.pid()) continue;
        const auto still_it = [&] { return observer_->tree().member(pid) != nullptr; };
        if (const auto process = ProcessHandle::open(pid, still_it)) process->send(SIGTERM);
    }
    command.send(SIGTERM);
}

}  // namespace holdfast
