/* Handlers that ask for an alternate stack, in programs with and without one: harm_stack CASE. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <unistd.h>

static char own[256 << 10];
static volatile int calls, on_own, depth;
static sigjmp_buf back;

__attribute__((noinline)) static int use(size_t size) {
    volatile char room[size];
    for (size_t i = 0; i < size; i += 512) room[i] = (char)i;
    return room[size / 2];
}

static void deep(int number) {
    ++calls;
    use(1 << 20);
    (void)number;
}

static void where(int number, siginfo_t* info, void* context) {
    char here = 0;
    const uintptr_t at = (uintptr_t)&here;
    on_own = at >= (uintptr_t)own && at < (uintptr_t)own + sizeof own;
    use(on_own ? 64 << 10 : 1 << 20);
    ++calls;
    (void)number, (void)info, (void)context;
}

static void set(int number, void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags | SA_ONSTACK;
    if (sigaction(number, &action, NULL) != 0) abort();
}

static void show_stack(const char* when) {
    stack_t now;
    sigaltstack(NULL, &now);
    printf("%s: stack %s\n", when, (now.ss_flags & SS_DISABLE) != 0 ? "none" : "set");
}

static void nested(int number) {
    ++calls;
    use(300 << 10);
    show_stack("in handler");
    if (number == SIGALRM) raise(SIGUSR1);
    if (number == SIGUSR1) raise(SIGPROF);
    if (number == SIGPROF) raise(SIGSEGV);
    use(300 << 10);
}

static void jump(int number) {
    ++calls;
    use(1 << 20);
    siglongjmp(back, number);
}

static const int numbers[] = {SIGALRM, SIGUSR1, SIGTERM, SIGPROF, SIGSEGV, SIGCHLD, 40};
enum { count = sizeof numbers / sizeof *numbers };

static void* raise_all(void* unused) {
    for (int i = 0; i < count; ++i) pthread_kill(pthread_self(), numbers[i]);
    return unused;
}

static void on_all_threads(void) {
    raise_all(NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, raise_all, NULL);
    pthread_join(thread, NULL);
    printf("%d calls\n", calls);
}

static void show(int number) {
    struct sigaction now;
    memset(&now, 0, sizeof now);
    sigaction(number, NULL, &now);
    printf("%d: %s %x %d\n", number,
           now.sa_handler == SIG_DFL ? "default"
           : now.sa_handler == deep  ? "own"
                                     : "?",
           (unsigned)now.sa_flags, now.sa_restorer != NULL);
}

static int reported(void) {
    for (int i = 0; i < count; ++i) {
        if (numbers[i] == SIGSEGV || numbers[i] == SIGTERM) continue;
        show(numbers[i]);
        set(numbers[i], deep, SA_RESTART);
        show(numbers[i]);
        struct sigaction before;
        memset(&before, 0, sizeof before);
        struct sigaction fresh = {.sa_handler = SIG_DFL};
        sigaction(numbers[i], &fresh, &before);
        printf("was own: %d %x\n", before.sa_handler == deep, (unsigned)before.sa_flags);
        show(numbers[i]);
        set(numbers[i], deep, (int)SA_RESETHAND);
        raise(numbers[i]);
        show(numbers[i]);
    }
    printf(
        "%d %d %d\n",
        sigaction(SIGKILL, &(struct sigaction){.sa_handler = deep, .sa_flags = SA_ONSTACK}, NULL),
        sigaction(99, &(struct sigaction){.sa_handler = deep, .sa_flags = SA_ONSTACK}, NULL),
        sigaction(33, &(struct sigaction){.sa_handler = deep, .sa_flags = SA_ONSTACK}, NULL));
    return 0;
}

static int own_stack(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = where;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    for (int i = 0; i < count; ++i) sigaction(numbers[i], &action, NULL);
    raise(SIGALRM);
    printf("on own: %d\n", on_own);
    const stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
    sigaltstack(&stack, NULL);
    raise(SIGALRM);
    printf("on own: %d\n", on_own);
    raise(SIGTERM);
    printf("on own: %d\n", on_own);
    on_all_threads(); /* The thread has none. */
    printf("on own: %d\n", on_own);
    const stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    raise(SIGALRM);
    printf("on own: %d\n", on_own);
    return 0;
}

__attribute__((noinline)) static int recurse(int left) {
    volatile char frame[3000];
    memset((char*)frame, left, sizeof frame);
    return left == 0 ? calls : recurse(left - 1) + frame[left % 3000];
}

static void show_mask(int number) {
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("%d with %lx\n", number, *(unsigned long*)&now);
    use(1 << 20);
}

/* Two at once, and a mask that holds only while it waits. */
static void* suspend(void* unused) {
    sigset_t both, none;
    sigemptyset(&none);
    sigemptyset(&both);
    sigaddset(&both, SIGALRM);
    sigaddset(&both, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    for (int i = 0; i < 3; ++i) {
        pthread_kill(pthread_self(), SIGALRM);
        sigsuspend(&none);
        show_mask(0);
    }
    return unused;
}

static int suspended(void) {
    set(SIGALRM, show_mask, 0);
    set(SIGUSR1, show_mask, 0);
    suspend(NULL);
    const stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
    sigaltstack(&stack, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, suspend, NULL);
    pthread_join(thread, NULL);
    return 0;
}

/* The stack grows while signals come, one within the other. */
static int storm(void) {
    set(SIGALRM, deep, SA_RESTART);
    set(SIGPROF, deep, SA_RESTART);
    const struct itimerval often = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    while (calls < 300) recurse(1500);
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
    puts("weathered");
    return 0;
}

/* Like Rust's: a small stack for one handler, which prints and aborts. */
static void tell_and_abort(int number) {
    (void)number;
    if (write(1, "told\n", 5) == 5) abort();
}

static int endless(int depth) {
    volatile char room[4096];
    room[0] = (char)depth;
    return depth < 0 ? 0 : endless(depth + 1) + room[0];
}

static int overflow(void) {
    const size_t frame = getauxval(AT_MINSIGSTKSZ) > 0 ? getauxval(AT_MINSIGSTKSZ) : MINSIGSTKSZ;
    const stack_t small = {.ss_sp = own, .ss_size = frame + (4 << 10)};
    if (sigaltstack(&small, NULL) != 0) return 1;
    set(SIGSEGV, tell_and_abort, 0);
    return endless(0);
}

int main(int words, char** word) {
    const char* what = words > 1 ? word[1] : "";
    if (strcmp(what, "deep") == 0) {
        for (int i = 0; i < count; ++i) set(numbers[i], deep, 0);
        show_stack("before");
        on_all_threads();
        show_stack("after");
    }
    if (strcmp(what, "nested") == 0) {
        for (int i = 0; i < count; ++i) set(numbers[i], nested, 0);
        for (int i = 0; i < 3; ++i) raise(SIGALRM);
        printf("%d calls\n", calls);
        show_stack("after");
    }
    if (strcmp(what, "jump") == 0) {
        for (int i = 0; i < count; ++i) set(numbers[i], jump, 0);
        for (volatile int i = 0; i < 4 * count; ++i)
            if (sigsetjmp(back, 1) == 0) raise(numbers[i % count]);
        printf("%d calls\n", calls);
    }
    if (strcmp(what, "reported") == 0) return reported();
    if (strcmp(what, "own") == 0) return own_stack();
    if (strcmp(what, "suspend") == 0) return suspended();
    if (strcmp(what, "storm") == 0) return storm();
    if (strcmp(what, "overflow") == 0) return overflow();
    return 0;
}
