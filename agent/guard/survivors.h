// Which code survives a refused request: decided by the frames between the request and the
// interpreter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/base/text.h"

namespace holdfast::agent {

enum class Survival : std::uint8_t { no, unwinds, passes, asks, clears, throws };

// A row of survivors.txt.
struct Survivor {
    Text name;  // the beginning of the file's name, or with a slash a part of its path
    Survival survival;
};
extern const Survivor survivors[];
extern const std::size_t survivor_count;

// By the path of the file the code is in.
Survival survival_in(Text path);

// Whether a refusal of this thread's request becomes an exception at a line of Python that some
// code gets. `caller` is where malloc, or calloc (`zeroed`), was called. Reads /proc, so ask only
// before a refusal.
bool survives_refusal(const void* caller, bool zeroed);

}  // namespace holdfast::agent
