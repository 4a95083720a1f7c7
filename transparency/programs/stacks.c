// Handlers and stacks: stacks onstack|own|thread|deep|small
#define _GNU_SOURCE
#include <pthread.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *near_main;
static sigjmp_buf back;

static void deep_handler(int number) {
    volatile char room[256 * 1024];  // more than a small signal stack has
    memset((char *)room, number, sizeof room);
    long apart = labs((long)((char *)room - near_main));
    printf("handler runs %s\n", apart < (8L << 20) ? "on the stack of the thread" : "elsewhere");
}

static void jump(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static int recurse(volatile int n) {
    volatile char room[1024];
    room[0] = (char)n;
    return recurse(n + 1) + room[0];
}

static void *spawn_in_small(void *unused) {
    pid_t pid;
    char *words[] = {"true", NULL};
    int failed = posix_spawnp(&pid, "true", NULL, NULL, words, environ);
    int status = -1;
    if (!failed) waitpid(pid, &status, 0);
    printf("spawned from a small stack: %d %d\n", failed, status);
    return unused;
}

static void *own_stack(void *unused) {
    stack_t stack;
    sigaltstack(NULL, &stack);
    printf("a new thread's signal stack: flags %d\n", stack.ss_flags);
    return unused;
}

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "onstack";
    char here;
    near_main = &here;
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct sigaction act = {.sa_handler = deep_handler, .sa_flags = SA_ONSTACK};
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
    pthread_t thread;
    if (!strcmp(how, "onstack")) {
        sigaction(SIGUSR1, &act, NULL);
        raise(SIGUSR1);
        sigaction(SIGUSR1, NULL, &act);
        printf("handler is ours: %d, flags %x\n", act.sa_handler == deep_handler,
               (unsigned)act.sa_flags & ~0x04000000U);
    }
    if (!strcmp(how, "own")) {
        stack_t mine = {.ss_sp = malloc(1 << 20), .ss_size = 1 << 20}, was, now;
        sigaltstack(&mine, &was);
        sigaction(SIGSEGV, &act, NULL);
        act.sa_handler = jump;
        sigaction(SIGSEGV, &act, NULL);
        sigaltstack(NULL, &now);
        printf("old stack flags %d, new is mine: %d\n", was.ss_flags, now.ss_sp == mine.ss_sp);
        if (sigsetjmp(back, 1) == 0) recurse(0);
        puts("came back from an overflow");
        if (sigsetjmp(back, 1) == 0) *(volatile int *)8 = 1;
        puts("came back from a bad pointer");
    }
    if (!strcmp(how, "thread")) {
        pthread_create(&thread, NULL, own_stack, NULL);
        pthread_join(thread, NULL);
    }
    if (!strcmp(how, "small")) {
        char value[64], name[32];
        memset(value, 'v', sizeof value - 1);
        value[sizeof value - 1] = 0;
        for (int i = 0; i < 1500; i++) {
            snprintf(name, sizeof name, "MANY_VARIABLES_%d", i);
            setenv(name, value, 1);
        }
        pthread_create(&thread, &small, spawn_in_small, NULL);
        pthread_join(thread, NULL);
    }
    if (!strcmp(how, "query")) {
        struct sigaction old;
        for (int number = 1; number < 32; number++)
            if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_DFL)
                printf("signal %d has a handler or is ignored\n", number);
        void (*was)(int) = signal(SIGSEGV, deep_handler);
        printf("was default: %d\n", was == SIG_DFL);
        was = signal(SIGSEGV, SIG_DFL);
        printf("was mine: %d\n", was == deep_handler);
    }
    return 0;
}
