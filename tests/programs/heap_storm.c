/* Threads allocate, move and free blocks of random sizes, check every byte they own, fork and
 * start programs meanwhile. Exits 0 only when nothing was lost. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { held = 256 };
static int rounds = 20000, threads = 4, forks = 50;

static uint64_t next_random(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Mostly small, sometimes large: each decade is equally likely. */
static size_t random_size(uint64_t* state) {
    const unsigned bits = next_random(state) % 21;
    return next_random(state) & ((1u << bits) - 1);
}

static void fail(const char* what) {
    fprintf(stderr, "%s\n", what);
    _exit(3);
}

static void check(const unsigned char* block, size_t size, unsigned char with) {
    for (size_t i = 0; i < size; i += 1 + size / 64)
        if (block[i] != with) fail("a block changed under its owner");
    if (size > 0 && block[size - 1] != with) fail("the end of a block changed");
}

static void* storm(void* seed) {
    uint64_t state = (uintptr_t)seed * 0x9E3779B97F4A7C15u + 1;
    unsigned char* blocks[held] = {0};
    size_t sizes[held] = {0};
    for (int round = 0; round < rounds; ++round) {
        const unsigned at = next_random(&state) % held;
        const unsigned char mark = (unsigned char)(at * 7 + 1);
        const size_t size = random_size(&state);
        check(blocks[at], sizes[at], mark);
        void* fresh = NULL;
        size_t alignment = 1;
        switch (next_random(&state) % 8) {
        case 0:
        case 1:
            free(blocks[at]);
            fresh = malloc(size);
            break;
        case 2:
            free(blocks[at]);
            fresh = calloc(1, size);
            for (size_t i = 0; fresh != NULL && i < size; ++i)
                if (((unsigned char*)fresh)[i] != 0) fail("calloc gave a dirty block");
            break;
        case 3:
        case 4:
            fresh = realloc(blocks[at], size);
            if (fresh == NULL && size > 0) fail("realloc failed");
            if (fresh != NULL) check(fresh, size < sizes[at] ? size : sizes[at], mark);
            break;
        case 5:
            free(blocks[at]);
            alignment = 8u << next_random(&state) % 12;
            if (posix_memalign(&fresh, alignment, size) != 0) fail("posix_memalign failed");
            break;
        case 6:
            free(blocks[at]);
            alignment = 64;
            fresh = aligned_alloc(alignment, (size + 63) & ~(size_t)63);
            break;
        default:
            free(blocks[at]);
            alignment = 1u << next_random(&state) % 13;
            fresh = memalign(alignment, size);
        }
        if ((uintptr_t)fresh % alignment != 0) fail("a block is not aligned");
        if (fresh != NULL && malloc_usable_size(fresh) < size) fail("a block is too small");
        blocks[at] = fresh;
        sizes[at] = fresh != NULL ? size : 0;
        if (fresh != NULL) memset(fresh, mark, size);
        if (round % 97 == 0) {
            /* In pieces, and no page twice, because other threads map meanwhile. */
            const size_t page = 4096, length = 65536 * (2 + next_random(&state) % 8);
            char* map = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                             -1, 0);
            if (map == MAP_FAILED) fail("mmap failed");
            map[0] = map[length - 1] = 1;
            map = mremap(map, length, 2 * length, MREMAP_MAYMOVE);
            if (map == MAP_FAILED || map[length - 1] != 1) fail("mremap failed");
            munmap(map, page);
            munmap(map + 2 * length - page, page);
            munmap(map + 2 * page, page);
            munmap(map + page, page);
            munmap(map + 3 * page, 2 * length - 4 * page);
        }
    }
    for (int at = 0; at < held; ++at) free(blocks[at]);
    return NULL;
}

/* Interrupts everything, including the agent's own work. */
static void on_alarm(int signal) { (void)signal; }

static void fork_once(int turn) {
    const pid_t child = turn % 3 == 2 ? vfork() : fork();
    if (child < 0) fail("fork failed");
    if (child == 0) {
        if (turn % 3 == 2) {
            execlp("true", "true", (char*)NULL);
            _exit(9);
        }
        const int saved = rounds;
        rounds = 2000;
        alarm(120);
        if (turn % 3 == 1) {
            pthread_t one;
            if (pthread_create(&one, NULL, storm, (void*)7) != 0) fail("no thread in the child");
            pthread_join(one, NULL);
        } else {
            storm((void*)(uintptr_t)(turn + 100));
        }
        rounds = saved;
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (status != 0) fail("a child died");
}

int main(int count, char** words) {
    if (count > 1) rounds = atoi(words[1]);
    if (count > 2) threads = atoi(words[2]);
    if (count > 3) forks = atoi(words[3]);
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_t running[64];
    for (int i = 0; i < threads; ++i)
        if (pthread_create(&running[i], NULL, storm, (void*)(uintptr_t)(i + 1)) != 0)
            fail("pthread_create failed");
    for (int turn = 0; turn < forks; ++turn) fork_once(turn);
    for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
    puts("calm");
    return 0;
}
