// Finds out, in a child process, whether something can be done without dying of it.
#pragma once

namespace holdfast {

// Runs `trial` in a child and returns whether the child came to its end. The parent calls only
// clone, mmap, munmap, rt_sigaction, and wait4 or getpgid, whichever a child has tried. The child
// is gone afterwards, leaves nothing to reap, and makes no core file.
bool survives(void (*trial)());

// Within a trial: ends it as failed unless `answered`. For calls that we cannot do without: a
// filter may refuse a call instead of killing for it, and without its answer we would wait for
// ever.
void need(bool answered);

// Tries every call by which we signal, wait and start processes. It signals only itself, waits for
// nobody, and starts nothing.
void try_process_calls();

}  // namespace holdfast
