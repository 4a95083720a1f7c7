// Stands for a preloaded allocator that is handed a block of another one, with its own last words.
#include <stdio.h>
#include <stdlib.h>

void free_foreign(void *block) {
    fprintf(stderr, "src/tcmalloc.cc:333] Attempt to free invalid pointer %p \n", block);
    abort();
}
