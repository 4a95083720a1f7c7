// What a program sees of its own signals, printed so that two runs can be compared:
// crash_signals CASE.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static volatile int* volatile nowhere;
static volatile int got;
static char* page;
static volatile int repairs;
static pthread_barrier_t together;

static void on_signal(int number) { got = number; }

static void show(int number) {
    struct sigaction seen;
    memset(&seen, 0, sizeof seen);
    sigaction(number, NULL, &seen);
    const char* handler = seen.sa_handler == SIG_DFL     ? "default"
                          : seen.sa_handler == SIG_IGN   ? "ignored"
                          : seen.sa_handler == on_signal ? "own"
                                                         : "another";
    // libc has a flag that shows whether the action was ever set; we need not keep that.
    printf("%d %s %x %lx\n", number, handler, (unsigned)seen.sa_flags & ~0x04000000U,
           *(unsigned long*)&seen.sa_mask);
}

static void queries(void) {
    const int numbers[] = {SIGSEGV, SIGABRT, SIGTERM, SIGINT, SIGUSR1, SIGHUP};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        const int number = numbers[i];
        show(number);
        printf("was default: %d\n", signal(number, on_signal) == SIG_DFL);
        show(number);
        sysv_signal(number, on_signal);
        show(number);
        siginterrupt(number, 1);
        show(number);
        signal(number, on_signal);
        show(number);
        siginterrupt(number, 0);
        show(number);
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = (int)SA_RESETHAND | SA_ONSTACK;
        sigfillset(&action.sa_mask);
        sigaction(number, &action, NULL);
        show(number);
        got = 0;
        raise(number);
        printf("got %d\n", got);
        show(number);
        sigset(number, SIG_HOLD);
        printf("held: %d\n", sigset(number, SIG_IGN) == (void (*)(int))2);
        show(number);
        raise(number);
        sigset(number, SIG_DFL);
        show(number);
    }
    printf("refused: %d %d\n", signal(0, on_signal) == SIG_ERR,
           signal(SIGKILL, on_signal) == SIG_ERR);
}

static void alternate_stacks(void) {
    static char memory[65536];
    stack_t seen;
    memset(&seen, 0, sizeof seen);
    sigaltstack(NULL, &seen);
    printf("%d %zu\n", seen.ss_flags, seen.ss_size);
    const stack_t own = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&own, &seen);
    printf("%d\n", seen.ss_flags);
    sigaltstack(NULL, &seen);
    printf("%d %zu %d\n", seen.ss_flags, seen.ss_size, seen.ss_sp == memory);
    const stack_t none = {.ss_flags = SS_DISABLE};
    printf("%d\n", sigaltstack(&none, &seen));
    printf("%d %zu\n", seen.ss_flags, seen.ss_size);
    sigaltstack(NULL, &seen);
    printf("%d\n", seen.ss_flags);
    const stack_t tiny = {.ss_sp = memory, .ss_size = 10};
    printf("%d\n", sigaltstack(&tiny, NULL));
}

static void repair(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)info;
    (void)context;
    ++repairs;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void faults_as_a_tool(void) {
    struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 1000; ++i) {
        mprotect(page, 4096, PROT_NONE);
        page[0] = 1;
    }
    printf("repaired %d\n", repairs);
}

static void vforked(void) {
    signal(SIGTERM, on_signal);
    signal(SIGSEGV, on_signal);
    const pid_t child = vfork();
    if (child == 0) {
        signal(SIGTERM, SIG_DFL);
        signal(SIGSEGV, SIG_DFL);
        kill(getpid(), SIGTERM);
        _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("%x\n", status);
    show(SIGTERM);
    show(SIGSEGV);
    kill(getpid(), SIGTERM);
    printf("got %d\n", got);
}

static void forked(void) {
    signal(SIGTERM, on_signal);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGTERM, SIG_DFL);
        kill(getpid(), SIGTERM);
        pause();
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("%x\n", status);
    show(SIGTERM);
}

static void spawned(void) {
    signal(SIGTERM, on_signal);
    signal(SIGINT, SIG_IGN);
    char* const words[] = {"sh", "-c", "grep SigIgn /proc/$$/status; kill -TERM $$", NULL};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    for (int with_defaults = 0; with_defaults < 2; ++with_defaults) {
        sigset_t defaults;
        sigemptyset(&defaults);
        sigaddset(&defaults, SIGINT);
        if (with_defaults) {
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
            posix_spawnattr_setsigdefault(&attributes, &defaults);
        }
        pid_t child = 0;
        int status = 0;
        posix_spawn(&child, "/bin/sh", NULL, &attributes, words, environ);
        waitpid(child, &status, 0);
        printf("%x\n", status);
    }
    printf("%d\n", system("exit 4"));
    show(SIGINT);
    show(SIGQUIT);
    show(SIGTERM);
}

static void interruptions(void) {
    for (int restart = 0; restart < 2; ++restart) {
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = restart ? SA_RESTART : 0};
        sigaction(SIGUSR1, &action, NULL);
        int ends[2];
        if (pipe(ends) != 0) exit(98);
        const pid_t child = fork();
        if (child == 0) {
            usleep(100000);
            kill(getppid(), SIGUSR1);
            usleep(100000);
            _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
        }
        char byte = 0;
        const ssize_t size = read(ends[0], &byte, 1);
        printf("%zd %d\n", size, size < 0 ? errno : 0);
        waitpid(child, NULL, 0);
    }
}

static void* fault_together(void* unused) {
    pthread_barrier_wait(&together);
    *nowhere = 1;
    return unused;
}

static void many_at_once(void) {
    enum { count = 16 };
    pthread_barrier_init(&together, NULL, count);
    for (int i = 0; i < count; ++i) {
        pthread_t thread;
        pthread_create(&thread, NULL, fault_together, NULL);
    }
    pause();
}

static void no_descriptors(void) {
    const struct rlimit limit = {20, 1024};
    setrlimit(RLIMIT_NOFILE, &limit);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    *nowhere = 1;
}

static void unread_stderr(void) {
    int ends[2];
    if (pipe(ends) != 0) exit(98);
    dup2(ends[1], STDERR_FILENO);
    for (int i = 0; i < 3000; ++i) fprintf(stderr, "line %d\n", i);
    fprintf(stderr, "last words\n");
    abort();
}

static void* end_somehow(void* by_exit) {
    stack_t seen;
    sigaltstack(NULL, &seen);
    if (!(seen.ss_flags & SS_DISABLE)) puts("an alternate stack is shown");
    if (by_exit) pthread_exit(NULL);
    return NULL;
}

static int mappings(void) {
    FILE* maps = fopen("/proc/self/maps", "r");
    int lines = 0;
    for (int c = 0; (c = fgetc(maps)) != EOF;) lines += c == '\n';
    fclose(maps);
    return lines;
}

static void many_threads(void) {
    int before = 0;
    for (int round = 0; round < 300; ++round) {
        pthread_t threads[8];
        for (int i = 0; i < 8; ++i)
            if (pthread_create(&threads[i], NULL, end_somehow, i % 2 ? threads : NULL)) exit(98);
        for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
        if (round == 10) before = mappings();
    }
    printf("mappings grew: %d\n", mappings() > before + 100);
}

// Its argument is the file to which the crash is written, and which disappears meanwhile.
static void torn_file(const char* path, long size) {
    if (truncate(path, size) != 0) exit(98);
    abort();
}

int main(int count, char** words) {
    const char* wanted = count > 1 ? words[1] : "queries";
    setbuf(stdout, NULL);
    const struct {
        const char* name;
        void (*run)(void);
    } cases[] = {{"queries", queries},
                 {"alternate-stacks", alternate_stacks},
                 {"tool", faults_as_a_tool},
                 {"vfork", vforked},
                 {"fork", forked},
                 {"spawn", spawned},
                 {"interruptions", interruptions},
                 {"many-at-once", many_at_once},
                 {"no-descriptors", no_descriptors},
                 {"unread-stderr", unread_stderr},
                 {"many-threads", many_threads}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
        if (!strcmp(wanted, cases[i].name)) cases[i].run();
    if (!strcmp(wanted, "tool-then-crash")) {
        faults_as_a_tool();
        signal(SIGSEGV, SIG_DFL);
        *nowhere = 1;
    }
    if (!strcmp(wanted, "torn-file")) torn_file(words[2], atol(words[3]));
    return 0;
}
