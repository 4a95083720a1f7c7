// Threads that take memory while the main thread waits for them, and may get an error for it.
#pragma once

#include <cstddef>

namespace holdfast::agent {

// Threads that run now, in a task whose error is carried on or in a function of the program's own,
// outside of code that takes locks; as pthread_self() names them. Needs the interpreter's lock.
std::size_t growing_threads(unsigned long* out, std::size_t most);

}  // namespace holdfast::agent
