// Why this cause was chosen, where several matched.
#pragma once

#include <memory>

#include "base/time.h"
#include "model/cause.h"

namespace holdfast {

struct Autopsy;

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

}  // namespace holdfast
