// Whether a C++ exception thrown by this thread would be caught before it came to Python.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

// Asks the unwinder and reads what compilers wrote down for it, as throwing does before it lets go
// of anything. `thrower` is where the function that would throw (operator new) called malloc; at
// `loop_begin` to `loop_end` Python begins. False in doubt: nobody catches it, a function on the
// way promised to throw nothing, or it cannot be told.
bool exception_is_caught(std::uint64_t thrower, std::uint64_t loop_begin, std::uint64_t loop_end);

// The addresses that the calls of this thread return to, innermost first, up to Python's loop,
// which is among them. 0: the unwinder is not here, may wait for a lock, or did not get there.
std::size_t calls_below_loop(std::uint64_t* out, std::size_t most, std::uint64_t loop_begin,
                             std::uint64_t loop_end);

// What one function does with an exception of std::bad_alloc that comes from a call in it.
enum class OnThrow : std::uint8_t { passes, catches, ends };

// By its table (LSDA). `at` lies inside of the call, `begin` is where the function begins.
OnThrow on_throw(const unsigned char* table, std::uint64_t begin, std::uint64_t at);

}  // namespace holdfast::agent
