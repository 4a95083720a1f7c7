// Which of several findings is the answer, and why it was chosen.
#pragma once

#include <memory>
#include <vector>

#include "base/time.h"
#include "diagnose/finding.h"
#include "model/cause.h"

namespace holdfast {

struct Autopsy;

// Why this cause was chosen, where several matched.
struct Choice {
    enum class Kind {
        none,
        decisive,        // `first` has decisive evidence, `second` does not
        more_specific,   // `first` explains `second`
        end_certain,     // how it ended (`first`) is certain, why (`second`) is not
        came_to_that,    // `first` is how it ended, `second` why
        under_pressure,  // it was stopped while memory pressure had stalled it
        child_first,     // `child` ended first, and its parent failed because of it
        stood_still,     // it was stopped after it had been stuck for `lasted`
        after_refusal,   // it had not moved since the guard's refusal, and was ended
    };
    Kind kind = Kind::none;
    CauseId first = "clean-exit"_cause, second = "clean-exit"_cause;
    Nanos lasted{};
    std::shared_ptr<const Autopsy> child;
    bool none() const { return kind == Kind::none; }
};

struct Ranked {
    Finding end;
    Finding root;
    Choice choice{};
    std::vector<Finding> rest{};
};

// Whether it is why a process ended, and never the end itself: a leak, too much data, a NaN loss.
bool is_explanation(const Finding& finding);

// Whether somebody or something outside ended the program.
bool stopped_from_outside(const Finding& end);

// `findings` must be about one death, and at least one must not be an explanation. The more
// specific explains the more general; a certain end is not replaced by a likely one.
Ranked rank(std::vector<Finding> findings);

}  // namespace holdfast
