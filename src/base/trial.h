// Finds out, in a child process, whether something can be done without dying of it.
#pragma once

namespace holdfast {

// Runs `trial` in a child and says whether that came to its end. Takes no other call than clone,
// mmap, munmap, rt_sigaction and one of wait4 and getpgid, whichever the child has tried. The child
// is gone afterwards, leaves nothing to wait for and makes no core file.
bool survives(void (*trial)());

// Within a trial: ends it as failed unless a call that we cannot do without was `answered`. A
// filter may refuse one instead of killing for it, and to go on without it would be to wait for
// good.
void need(bool answered);

// Signals only itself, waits for nobody, starts nothing: by every call that we do these with.
void try_process_calls();

}  // namespace holdfast
