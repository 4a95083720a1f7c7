// Whether the Python line that asks for memory shows that the memory may stay untouched.
#pragma once

namespace holdfast::agent {

// np.empty in the user's own code: a promise, as np.zeros is. Inside libraries it is how arrays are
// made that are filled at once. Reads the source file the first time at a line. Call with Busy set.
bool asked_for_empty();

}  // namespace holdfast::agent
