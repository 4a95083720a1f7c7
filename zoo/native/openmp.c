// What LLVM's OpenMP runtime does when it finds another copy of itself.
#include <stdio.h>
#include <stdlib.h>

void start_second_runtime(void) {
    fprintf(stderr, "OMP: Error #15: Initializing libiomp5.so, but found libomp.so.5 already "
                    "initialized.\n"
                    "OMP: Hint This means that multiple copies of the OpenMP runtime have been "
                    "linked into the program.\n");
    abort();
}
