// Which code survives a refused request: decided by the frames between the request and the
// interpreter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/base/text.h"

namespace holdfast::agent {

// In order: from `asks` on, its own requests may be refused.
enum class Survival : std::uint8_t {
    no,
    made,  // made at run time
    unwinds,
    passes,
    asks,
    clears,
    throws,
    serves,
    seeks,
    repeats,
};

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
// Python that somebody gets. `caller` is where malloc was called, or its like (`how`). Reads
// /proc, so only for those who are about to refuse.
enum class AskedBy : std::uint8_t {
    malloc,
    calloc,
    retry,  // of what this thread was just refused, by another who tries it himself
};
bool survives_refusal(const void* caller, AskedBy how);

}  // namespace holdfast::agent
