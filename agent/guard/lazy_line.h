// Whether the Python line that asks for memory shows that the memory may stay untouched.
#pragma once

namespace holdfast::agent {

// True for np.empty in the user's own code: it may stay untouched, like np.zeros. In libraries it
// makes arrays that are filled at once. Reads the source file the first time at a line. Call with
// Busy set.
bool asked_for_empty();

}  // namespace holdfast::agent
