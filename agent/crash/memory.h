// Reads this process's own memory without faulting, when any pointer may be bad.
#pragma once

#include <setjmp.h>

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

// Where the recording thread jumps to if it faults itself; null otherwise. Only that thread uses
// it.
extern jmp_buf* landing;

// Copies what can be read, up to the first byte that cannot. Returns how much that was.
std::size_t read_memory(std::uintptr_t from, void* to, std::size_t size);

template <class Value>
bool read_value(std::uintptr_t from, Value& to) {
    return read_memory(from, &to, sizeof to) == sizeof to;
}

// A terminated string, cut to `room`, which includes the terminator.
std::size_t read_string(std::uintptr_t from, char* to, std::size_t room);

}  // namespace holdfast::agent
