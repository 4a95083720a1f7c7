// Kernel launches of torch, by the Python line that made them. An error on the GPU is noticed where
// the program next waits, long after; what was launched since the last wait that ended well is told
// then, and the failing kernel's name leads to its line.
//
// torch's own kernels are seen, where it calls the CUDA runtime. Those of cuBLAS, cuDNN, NCCL,
// Triton and of libraries beside torch are not; a graph that is launched hides its kernels.
#pragma once

namespace holdfast::agent {

// Stands between torch's libraries and the CUDA runtime, where both are loaded; again for libraries
// that came later. With the interpreter's lock.
void watch_launches();

// The caller's line begins a backward pass, whose launches come from threads without Python.
void note_backward();

// What may have failed, into the slot; once. `elsewhere`: others are known to launch kernels, too.
void keep_launches(bool elsewhere);

// Python is about to end: its frames are looked at no more.
void leave_launches();

}  // namespace holdfast::agent
