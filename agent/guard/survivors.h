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
    Text name;  // the file's name begins so, or its path holds it
    Survival survival;
};
extern const Survivor survivors[];
extern const std::size_t survivor_count;

// By the path of the file the code is in.
Survival survival_in(Text path);

// Whether a refusal of the request that this thread is making becomes an exception at a line of
// Python that somebody gets. `caller` is where malloc was called, or calloc (`zeroed`). Reads
// /proc, so only for those who are about to refuse.
bool survives_refusal(const void* caller, bool zeroed);

}  // namespace holdfast::agent
