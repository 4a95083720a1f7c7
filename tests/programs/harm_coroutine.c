/* Allocates on a stack of its own, of so many bytes: a coroutine's. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static ucontext_t outside, inside;

static void work(void) {
    for (int i = 0; i < 4000; ++i) {
        char* little = malloc(1000);
        char* large = malloc(300000);
        large[0] = little[0] = 1;
        large = realloc(large, 700000);
        free(large);
        if (i % 3 != 0) free(little);
    }
    swapcontext(&inside, &outside);
}

int main(int count, char** words) {
    const size_t guard = 65536, size = count > 1 ? strtoul(words[1], NULL, 10) : 16384;
    char* at = mmap(NULL, guard + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || mprotect(at, guard, PROT_NONE) != 0) return 2;
    getcontext(&inside);
    inside.uc_stack.ss_sp = at + guard;
    inside.uc_stack.ss_size = size;
    makecontext(&inside, work, 0);
    swapcontext(&outside, &inside);
    puts("came back");
    return 0;
}
