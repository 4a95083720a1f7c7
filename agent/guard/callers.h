// Whose code asked for memory: what a refusal would do to it, and how much of it is sure to be
// used.
#pragma once

#include <cstdint>

#include "agent/guard/page.h"

namespace holdfast::agent {

enum class Caller : std::uint8_t {
    other = 1,      // may never have looked at what malloc returns
    checks = 2,     // Python, NumPy, torch: a refusal becomes an exception
    container = 3,  // operator new and the like: throws, and asks for more than it needs at once
};

// Reads /proc/self/maps, so only for those who are about to refuse. No lock of the loader's.
Caller caller_at(GuardState& state, const void* address);

// By the name of the file the code is in.
Caller caller_in(const char* path, std::size_t size);

}  // namespace holdfast::agent
