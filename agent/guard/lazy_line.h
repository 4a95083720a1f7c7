// Whether the line of Python that asks for memory says itself that it may stay untouched.
#pragma once

namespace holdfast::agent {

// np.empty in the user's own code: a promise, as np.zeros is. Inside libraries it is how arrays are
// made that are filled at once. Reads the source file the first time at a line. Call with Busy set.
bool asked_for_empty();

// Memory that is asked for as zeroed by a function of a library that writes to all of it at once,
// in one call that nothing can end: what np.zeros promises to nobody counts there as used.
bool asked_to_fill();

}  // namespace holdfast::agent
