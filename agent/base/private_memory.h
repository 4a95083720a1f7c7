// Memory of the agent's own: no heap, and empty again in a child of fork, so that a lock held by
// another thread at the moment of fork, or a table of blocks that are not the child's, cannot hurt.
#pragma once

#include <cstddef>

namespace holdfast::agent {

// Zeroed, page aligned, never freed; null when there is none. The child of a fork finds it zeroed.
void* wiped_on_fork(std::size_t size);
// The same, inherited by a child as it is.
void* kept_on_fork(std::size_t size);

}  // namespace holdfast::agent
