// Memory by line: what the hooks of malloc and mmap count, and how the figures are read.
#pragma once

#include <cstdint>

namespace holdfast::agent {

// Called once, when the process is known to be worth watching; before that the hooks pass through
// and count nothing.
void start_counting();

// From now on every thread's calls pass through uncounted, without a system call.
void stop_counting();
// The same for Python's small objects: the next object made removes our hooks.
void stop_sampling_objects();

// A step of training ended: windows remember at which step they closed.
void heap_step(std::uint64_t step, std::uint64_t gpu_allocated);

// From Python's main thread with the GIL held, about four times a second while the program
// allocates: the place to switch the sampling of small objects on or off.
void python_tick();
// Live bytes over all lines; 0 where nothing is counted.
std::uint64_t live_memory();

// The sampling point calls this now and then, off the fast path, on any thread: see python_entry.h.
// Set by load.cc.
extern void (*on_sample)();

}  // namespace holdfast::agent
