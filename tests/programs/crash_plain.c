// Crashes in the way its first argument says, on the thread its second one names, with the handler
// its third one installs: crash_plain KIND [main|thread]
// [none|own|own-stack|returns|jumps|leaves|once|ignored].
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* kind;
static volatile int zero;
static volatile int* volatile nowhere;
static sigjmp_buf out;

static int deeper(volatile char* above) {
    volatile char here[4096];
    here[0] = above ? *above : 0;
    return deeper(here) + here[0];
}

static int number_of(const char* name) {
    if (strstr(name, "abort") || strstr(name, "ABRT") || !strcmp(name, "double-free") ||
        !strcmp(name, "heap"))
        return SIGABRT;
    if (strstr(name, "BUS") || !strcmp(name, "bus")) return SIGBUS;
    if (strstr(name, "ILL") || !strcmp(name, "illegal")) return SIGILL;
    if (strstr(name, "FPE") || !strcmp(name, "divide")) return SIGFPE;
    return SIGSEGV;
}

__attribute__((noinline)) static void crash_now(void) {
    if (!strcmp(kind, "null")) *nowhere = 1;
    if (!strcmp(kind, "wild")) *(volatile int*)0xdead00000000beef = 1;
    if (!strcmp(kind, "jump")) ((void (*)(void))0x10)();
    if (!strcmp(kind, "deep")) deeper(NULL);
    if (!strcmp(kind, "divide")) zero = 100 / zero;
    if (!strcmp(kind, "illegal")) __builtin_trap();
    if (!strcmp(kind, "abort")) abort();
    if (!strcmp(kind, "bus")) {
        FILE* file = tmpfile();
        volatile char* page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
        (void)*page;
    }
    if (!strcmp(kind, "double-free")) {
        char* block = malloc(5000);
        char* keep = malloc(100);
        free(block);
        free(block);
        free(keep);
    }
    if (!strcmp(kind, "heap")) {
        char* block = malloc(5000);
        malloc(100);
        memset(block - 16, 0xff, 16);
        free(block);
    }
    if (!strcmp(kind, "kill-SEGV")) kill(getpid(), SIGSEGV);
    if (!strcmp(kind, "raise-FPE")) raise(SIGFPE);
    if (!strcmp(kind, "raise-BUS")) raise(SIGBUS);
    if (!strcmp(kind, "raise-ILL")) raise(SIGILL);
}

static void say(const char* text) {
    if (write(1, text, strlen(text)) < 0) _exit(99);
}

static void own(int number, siginfo_t* info, void* context) {
    (void)info;
    (void)context;
    say("own handler\n");
    signal(number, SIG_DFL);
    raise(number);
}
static void returns(int number) {
    say("restored\n");
    signal(number, SIG_DFL);
}
static void jumps(int number) {
    (void)number;
    say("jumped\n");
    siglongjmp(out, 1);
}
static void leaves(int number) {
    (void)number;
    say("left\n");
    _exit(7);
}

static void install(const char* how) {
    if (!strcmp(how, "own-stack")) {
        static char memory[65536];
        const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
        sigaltstack(&stack, NULL);
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    const int number = number_of(kind);
    if (!strcmp(how, "own") || !strcmp(how, "own-stack")) {
        action.sa_sigaction = own;
        action.sa_flags = SA_SIGINFO | (!strcmp(how, "own-stack") ? SA_ONSTACK : 0);
    } else if (!strcmp(how, "returns")) {
        action.sa_handler = returns;
    } else if (!strcmp(how, "jumps")) {
        action.sa_handler = jumps;
    } else if (!strcmp(how, "leaves")) {
        action.sa_handler = leaves;
    } else if (!strcmp(how, "once")) {
        action.sa_handler = returns;
        action.sa_flags = (int)SA_RESETHAND;
    } else if (!strcmp(how, "ignored")) {
        action.sa_handler = SIG_IGN;
    } else {
        return;
    }
    sigaction(number, &action, NULL);
    struct sigaction seen;
    sigaction(number, NULL, &seen);
    if (seen.sa_handler != action.sa_handler) say("another handler is shown\n");
}

static void* run(void* unused) {
    (void)unused;
    if (sigsetjmp(out, 1) == 0) crash_now();
    return NULL;
}

int main(int argc, char** argv) {
    kind = argc > 1 ? argv[1] : "null";
    const int in_thread = argc > 2 && !strcmp(argv[2], "thread");
    install(argc > 3 ? argv[3] : "none");
    if (in_thread) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
    } else {
        run(NULL);
    }
    say("went on\n");
    return 0;
}
