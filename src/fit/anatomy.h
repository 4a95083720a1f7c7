// Who holds the memory at a program's peak.
#pragma once

#include "fit/plan.h"
#include "fit/replay.h"

namespace holdfast::fit {

Anatomy anatomy_of(const Capture& capture, const Program& program, const Replayed& replayed);

}  // namespace holdfast::fit
