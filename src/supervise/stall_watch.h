// Notices that the program has stopped moving while it is still alive, and writes down who waits
// for what.
//
// A stall is recorded silently from its fifth second on. Most are over soon, but a program may end
// during one, and then the record is all that is known about it. The stall is reported only when
// is_stuck() says so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "record/box_writer.h"
#include "sources/roots.h"
#include "stall/judge.h"
#include "stall/thresholds.h"
#include "supervise/process_tree.h"
#include "supervise/stack_watch.h"
#include "supervise/step_watch.h"

namespace holdfast {

// What to report to the user now.
struct StallNews {
    enum class What { stuck, moves_again };
    What what = What::stuck;
    Nanos lasted{};
};

class StallWatch {
public:
    StallWatch(const sources::Roots& roots, MachineBox& box, ProcessTree& tree, StackWatch& stacks)
        : roots_(&roots), box_(&box), tree_(&tree), stacks_(&stacks) {}

    // Zero: stalls are recorded, but never reported.
    void set_patience(Nanos patience) { patience_ = patience; }
    StepWatch& steps() { return steps_; }

    // At every look of the observer; does something about once a second.
    void look(Nanos now);
    const std::optional<StepsSeen>& seen_steps() const { return seen_steps_; }
    std::optional<StallNews> take_news() { return std::exchange(news_, std::nullopt); }

private:
    bool moved();
    void begin(Nanos now, bool overdue);
    void examine(Nanos now);
    void end(Nanos now);
    void save();
    void save_picture(const StallPicture& picture);
    // As long as it was measured, and nothing was found to have happened.
    Nanos quiet() const { return std::max(last_totals_.time - quiet_since_, Nanos{}); }
    StallFacts facts(Nanos now) const { return {now, quiet(), steps_of_now()}; }
    std::optional<StepsSeen> steps_of_now() const {
        return seen_steps_ && seen_steps_->of_an_earlier_cell ? std::nullopt : seen_steps_;
    }

    const sources::Roots* roots_;
    MachineBox* box_;
    ProcessTree* tree_;
    StackWatch* stacks_;
    StepWatch steps_;
    Nanos patience_ = stall_thresholds::usual_patience;
    Nanos next_look_{}, next_picture_{};
    Nanos last_picture_{}, quiet_since_{};
    Nanos cells_turned_{};  // when a notebook's cell last began or ended
    std::optional<StepsSeen> seen_steps_;
    TreeTotals last_totals_;
    std::uint64_t moved_bytes_ = 0, cpu_at_begin_ = 0;
    std::optional<format::Stall> stall_;  // the one that lasts
    std::uint32_t count_ = 0;
    std::optional<StallNews> news_;
};

}  // namespace holdfast
