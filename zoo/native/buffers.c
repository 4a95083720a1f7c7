// Small native routines with the mistakes that extensions make.
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

void fill(char *to, int size) { memset(to, 7, size); }

// Volatile, or the compiler sees that nobody reads what is written.
void overrun(int by) {
    char *volatile a = malloc(5000);
    char *volatile b = malloc(5000);
    memset(a, 0x41, 5000 + by);
    free(b);
    free(a);
}

void free_twice(void) {
    char *a = malloc(2000);
    char *b = malloc(2000);
    free(a);
    free(a);
    free(b);
}

void free_inside(void) {
    char *a = malloc(256);
    free(a + 16);
}

int divide(int a, int b) { return a / b; }

int sum(const int *values, long count) {
    int total = 0;
    for (long i = 0; i < count; ++i) total += values[i];
    return total;
}

int deep(int n) {
    volatile char room[512];
    room[0] = (char)n;
    return n == 0 ? 0 : deep(n - 1) + room[0];
}

void illegal(void) {
#if defined(__x86_64__)
    __asm__ volatile(".byte 0x62, 0xf1, 0x7c, 0x48, 0xff, 0xff");
#else
    __asm__ volatile(".inst 0x00000000");
#endif
}

void give_up(const char *why) {
    fprintf(stderr, "buffers.c:47: give_up: Assertion `%s' failed.\n", why);
    abort();
}
