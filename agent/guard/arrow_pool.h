// In front of Arrow's memory pools, which map memory in bulk and hand it out unseen. Whoever asks a
// pool looks at its answer, and hands an error on, through Arrow's own threads too.
#pragma once

#include <cstdint>

namespace holdfast::agent {

// Called once Arrow has been imported, by a thread that runs Python. Does nothing where the guard
// is not on, or where the pools do not look as they are known.
void stand_before_arrow();

}  // namespace holdfast::agent
