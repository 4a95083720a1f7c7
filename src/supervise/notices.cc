#include "supervise/notices.h"

#include <utility>

namespace holdfast {

void Notices::look(Nanos now, const std::vector<CgroupAddress>& cgroups) {
    tell_of_worthless_steps();
    look_for_leak(now, cgroups);
}

// Of relayed output we know the last byte. For a terminal or a file we only know that a stuck
// program writes nothing.
bool Notices::mid_line() const { return output_ == nullptr || !output_->ends_a_line(); }

void Notices::tell_of_stall(const StallNews& news) {
    if (!options_->on_stall || directory_ == nullptr) return;
    leave_to(options_->on_stall(*directory_, news, mid_line()));
}

void Notices::leave_to(Child teller) {
    if (teller) observer_->tree().leave_out(teller.pid());
    errands_->add(std::move(teller));
}

void Notices::tell_of_worthless_steps() {
    const std::optional<StepsSeen>& steps = observer_->stalls().seen_steps();
    if (told_of_worthless_steps_ || !steps) return;
    if (const auto words = words_about_worthless_steps(*steps)) {
        told_of_worthless_steps_ = true;
        options_->warn(*words);
    }
}

// Works in a separate process, and seldom, because most growth is no leak. Not while memory is
// short: by then the guard has warned.
void Notices::look_for_leak(Nanos now, const std::vector<CgroupAddress>& cgroups) {
    constexpr Nanos between_leak_looks = std::chrono::seconds(10);
    if (!options_->on_filling || directory_ == nullptr || !observer_->stalls().seen_steps()) return;
    std::optional<Bytes> least = observer_->machine_headroom();
    for (const CgroupAddress& cgroup : cgroups)
        if (cgroup.headroom && (!least || *cgroup.headroom < *least)) least = cgroup.headroom;
    if (!least) return;
    const auto full_in = forecast_.add(now, *least);
    if (!full_in || now < next_leak_look_ || !observer_->has_reserve()) return;
    next_leak_look_ = now + between_leak_looks;
    leave_to(options_->on_filling(*directory_, *full_in, mid_line()));
}

}  // namespace holdfast
