// Notices that a living program has stopped moving, and records which thread waits for what.
//
// From its fifth second on, a stall is recorded without telling the user. Most stalls are soon
// over, but a program may end during one, and then the record is all that is known about it. The
// user is told only if is_stuck() says so.
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
#include "supervise/loop_watch.h"
#include "supervise/process_tree.h"
#include "supervise/stack_watch.h"
#include "supervise/step_watch.h"

namespace holdfast {

// What to tell the user now.
struct StallNews {
    enum class What { stuck, moves_again };
    What what = What::stuck;
    Nanos lasted{};
};

class StallWatch {
public:
    StallWatch(const sources::Roots& roots, MachineBox& box, ProcessTree& tree, StackWatch& stacks)
        : roots_(&roots), box_(&box), tree_(&tree), stacks_(&stacks), loops_(tree, stacks) {}

    // Zero: stalls are recorded, but the user is never told.
    void set_patience(Nanos patience) { patience_ = patience; }
    StepWatch& steps() { return steps_; }

    // Call at every look of the observer; most of it is done about once a second.
    void look(Nanos now);
    const std::optional<StepsSeen>& seen_steps() const { return seen_steps_; }
    std::optional<StallNews> take_news() { return std::exchange(news_, std::nullopt); }

private:
    bool moved();
    void begin(Nanos now, bool overdue, bool looping);
    void examine(Nanos now);
    bool note_loop(const StallPicture& picture);
    void end(Nanos now);
    void save();
    void save_picture(const StallPicture& picture);
    // For how long nothing has happened, as far as it was measured.
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
    LoopWatch loops_;
    Nanos patience_ = stall_thresholds::usual_patience;
    Nanos next_look_{}, next_picture_{};
    Nanos last_picture_{}, quiet_since_{};
    Nanos cells_turned_{};  // when a notebook's cell last began or ended
    std::optional<StepsSeen> seen_steps_;
    TreeTotals last_totals_;
    std::uint64_t moved_bytes_ = 0, cpu_at_begin_ = 0;
    std::optional<format::Stall> stall_;  // the current stall
    std::uint32_t count_ = 0;
    std::optional<StallNews> news_;
};

}  // namespace holdfast
