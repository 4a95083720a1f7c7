// The steps that the agents inside the program count, read from outside.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "base/unique_fd.h"
#include "stall/judge.h"

namespace holdfast {

struct StepsSeen : StepsCounted {
    std::uint64_t in_all = 0;  // over all processes: any step is a sign of life
    // No step since a notebook's cell began or ended, so these say nothing about what runs now.
    bool of_an_earlier_cell = false;
    // The first step whose loss was not finite, where none of the last ones was either.
    std::optional<std::uint64_t> worthless_since;
};

// So many steps without a finite loss are worth a word.
inline constexpr std::uint64_t many_worthless_steps = 100;

// One line for the user about a loss that has not been finite for long; nothing if it was not long.
std::optional<std::string> words_about_worthless_steps(const StepsSeen& steps);

class StepWatch {
public:
    // `box`: agent.box, open for reading; without it no steps are seen.
    void open(UniqueFd box) { box_ = std::move(box); }
    // Nothing where no living process has counted any. Some sixty small reads at most.
    std::optional<StepsSeen> look(const std::function<bool(pid_t)>& alive) const;
    // When a notebook's cell last began or ended; 0: never.
    Nanos last_turn_of_cells(const std::function<bool(pid_t)>& alive) const;

private:
    UniqueFd box_;
};

}  // namespace holdfast
