// The slots through which a loaded library calls functions of other libraries (its symbol table),
// and how to redirect one. This exports no name, so a program that asks whether a function exists
// gets the same answer as without us.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

struct WantedSlot {
    const char* name;                // of the function
    void* ours;                      // what is called instead
    std::uintptr_t* real = nullptr;  // receives the function's address, before the first call
};

// Points the slots of `library` (its file's name, without a folder) for the wanted functions to
// ours. Returns how many; a slot that is not as expected is left alone. Call with Busy set.
std::size_t redirect(const char* library, const WantedSlot* wanted, std::size_t count);

// Whether a library other than torch and CUDA itself is loaded that calls CUDA.
bool others_launch();

// A function of a loaded library, as that library would find it; null where there is none.
void* found_by(const char* library, const char* name);

}  // namespace holdfast::agent
