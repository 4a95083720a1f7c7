// Kernel launches of torch, by the Python line that made them. A GPU error is noticed only where
// the program next waits. Then the launches since the last wait that ended well are recorded, and
// the failing kernel's name leads to its line.
//
// Only torch's own kernels are seen, where torch calls the CUDA runtime; not those of cuBLAS,
// cuDNN, NCCL, Triton or other libraries, nor the kernels in a CUDA graph.
#pragma once

namespace holdfast::agent {

// Stands between torch's libraries and the CUDA runtime, where both are loaded; again for libraries
// that came later. With the interpreter's lock.
void watch_launches();

// The caller's line begins a backward pass, whose launches come from threads without Python.
void note_backward();

// Writes the launches that may have failed into the slot, once. `elsewhere`: other libraries are
// known to launch kernels, too.
void keep_launches(bool elsewhere);

// Python is about to end: its frames are looked at no more.
void leave_launches();

}  // namespace holdfast::agent
