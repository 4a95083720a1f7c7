// Wraps Python's allocators of small objects (domains MEM and OBJ) for short times: installed and
// removed by the interpreter's own PyMem_SetAllocator, with the GIL held.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::agent {

enum class PyMemHooks : std::uint32_t {
    out,
    watching,  // only what frees
    sampling,  // all
};

// False if this interpreter's allocators cannot be found.
bool find_pymem();
// With the GIL held. If another tool has wrapped ours meanwhile, they stay in its chain and only
// pass calls through.
void set_pymem_hooks(PyMemHooks wanted);
bool pymem_hooks_in();

}  // namespace holdfast::agent
