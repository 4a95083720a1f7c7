// The agent's own memory. It is not on the heap, and fork empties it in the child. So a lock that
// another thread held at the moment of fork, or a table of the parent's blocks, cannot do harm
// there.
#pragma once

#include <cstddef>

namespace holdfast::agent {

// Zeroed, page aligned, never freed; null when there is none. The child of a fork finds it zeroed.
void* wiped_on_fork(std::size_t size);
// The same, inherited by a child as it is.
void* kept_on_fork(std::size_t size);

}  // namespace holdfast::agent
