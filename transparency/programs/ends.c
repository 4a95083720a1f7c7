// Ends in the way that its arguments say.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void at_end(void) { puts("atexit ran"); }

static void handler(int number) {
    static const char said[] = "handler ran\n";
    if (write(1, said, sizeof said - 1) < 0) _exit(98);
    signal(number, SIG_DFL);
}

static int deep(volatile int n) {
    volatile char room[4096];
    room[0] = (char)n;
    return deep(n + 1) + room[0];
}

static void *in_thread(void *what) {
    *(volatile int *)what = 1;
    return NULL;
}

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "";
    prctl(PR_SET_DUMPABLE, 0);  // no core files from here
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("starts");
    fputs("starts on stderr\n", stderr);
    atexit(at_end);
    if (!strcmp(how, "segv")) *(volatile int *)8 = 1;
    if (!strcmp(how, "segv-handled")) {
        signal(SIGSEGV, handler);
        *(volatile int *)8 = 1;
    }
    if (!strcmp(how, "segv-ignored")) {
        signal(SIGSEGV, SIG_IGN);
        raise(SIGSEGV);
        puts("still here");
    }
    if (!strcmp(how, "segv-thread")) {
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, (void *)16);
        pthread_join(thread, NULL);
    }
    if (!strcmp(how, "segv-child")) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) *(volatile int *)8 = 1;
        int status = 0;
        waitpid(child, &status, 0);
        printf("child: signal %d\n", WTERMSIG(status));
    }
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "fpe")) {
        volatile int zero = 0;
        printf("%d\n", 1 / zero);
    }
    if (!strcmp(how, "ill")) __builtin_trap();
    if (!strcmp(how, "bus")) {
        char name[] = "bus-XXXXXX";
        int fd = mkstemp(name);
        unlink(name);
        char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        at[0] = 1;
    }
    if (!strcmp(how, "overflow")) return deep(0);
    if (!strcmp(how, "free")) {
        char *memory = malloc(100);
        free(memory);
        free(memory);
    }
    if (!strcmp(how, "overrun")) {
        char *volatile memory = malloc(20);
        for (int i = 20; i < 24; ++i) memory[i] = 7;
        free(memory);
        puts("not noticed");
    }
    if (!strcmp(how, "_exit")) _exit(7);
    if (!strcmp(how, "quick_exit")) quick_exit(8);
    if (!strcmp(how, "exec")) execl("/bin/sh", "sh", "-c", "echo after exec; exit 9", (char *)NULL);
    if (!strcmp(how, "raise")) raise(atoi(words[2]));
    if (!strcmp(how, "return")) return atoi(words[2]);
    if (!strcmp(how, "thread-exit")) pthread_exit(NULL);
    if (!strcmp(how, "limit-cpu")) {
        struct rlimit limit = {1, 2};
        setrlimit(RLIMIT_CPU, &limit);
        for (volatile unsigned long i = 0;; i++) {
        }
    }
    return 0;
}
