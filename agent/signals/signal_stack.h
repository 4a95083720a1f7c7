// An alternate signal stack for each thread, so that a crash on an exhausted stack can be recorded.
// A stack that the program sets itself takes precedence over ours.
#pragma once

#include <signal.h>

#include <cstddef>

namespace holdfast::agent {

// A signal frame and room to work; whole pages.
std::size_t signal_stack_size();

// At the low end of its own memory, behind a guard. `note` tells a new thread what it is to do.
struct SignalStack {
    void* note[4];
};

// From now on there are stacks to take: the process is watched.
void offer_signal_stacks();
// Takes one from the spare ones or makes one; null without memory, or before they are offered.
SignalStack* take_signal_stack();
// A stack that no thread uses any more, or ever used.
void keep_for_later(SignalStack* stack);
// The calling thread uses it from now on, unless it has one already.
void use_signal_stack(SignalStack* stack);
// The calling thread is about to end.
void give_signal_stack_back(SignalStack* stack);

// There are no stacks any more: the calling thread gives up its own, the others keep theirs.
void drop_signal_stack();

// Whether the calling thread was started with a small stack: nothing large may be put there.
bool has_small_stack();
void note_small_stack();
// Where the calling thread's own stack begins; `size` 0: that of a thread with no wishes.
void note_stack_begin(std::size_t size);
// Whether there may be no room for a few pages of ours: also on a stack that the program made
// itself (a coroutine's, a signal's), whose size nobody knows.
bool may_lack_room();

// Whether `shape`, as the kernel describes it, is the calling thread's and ours.
bool is_own_signal_stack(const stack_t& shape);
// What the kernel needs for a signal frame on this CPU.
std::size_t signal_frame_size();

}  // namespace holdfast::agent
