/* Puts itself under a seccomp filter: harm_seccomp WAY [COMMAND...]. After that, a call that an
   ordinary small program does not make ends the process. With a command, only calls end it that
   no ordinary program makes when it starts, and the command follows. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

static const int usual[] = {
    SYS_read,   SYS_write,        SYS_exit,  SYS_exit_group,      SYS_mmap,    SYS_munmap,
    SYS_mremap, SYS_brk,          SYS_futex, SYS_mprotect,        SYS_madvise, SYS_close,
    SYS_clone3, SYS_rt_sigreturn, SYS_rseq,  SYS_set_robust_list, SYS_clone,   SYS_rt_sigprocmask};
static const int unusual[] = {SYS_sigaltstack, SYS_process_vm_readv,  SYS_process_vm_writev,
                              SYS_mincore,     SYS_rt_tgsigqueueinfo, SYS_sched_yield};

static struct sock_filter code[128];
static struct sock_fprog program = {0, code};

static void add(unsigned short what, unsigned value, unsigned char yes, unsigned char no) {
    code[program.len++] = (struct sock_filter){what, yes, no, value};
}

static void make(const int* calls, size_t count, unsigned found, unsigned otherwise) {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    for (size_t i = 0; i < count; ++i) {
        add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
        add(BPF_RET | BPF_K, found, 0, 0);
    }
    add(BPF_RET | BPF_K, otherwise, 0, 0);
}

static void say(const char* text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) abort();
}

static volatile sig_atomic_t rang;
static void ring(int number) { rang = number; }

static void caught(int number) {
    (void)number;
    say("caught the fault\n");
    syscall(SYS_exit_group, 0);
}

static void handle(int number, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    sigaction(number, &action, NULL);
}

static void* allocate(void* unused) {
    for (int i = 0; i < 400; ++i) {
        const size_t size = (size_t)(i % 7 + 1) << 17;
        char* block = malloc(size);
        block = realloc(block, size + 5000);
        memset(block, i, size);
        free(block);
        void* region =
            mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        munmap(region, 1 << 20);
    }
    return unused;
}

static int filter(const char* way) {
    if (strcmp(way, "probe") == 0) {
        const int first = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT;
        return first && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 &&
                       errno == EFAULT
                   ? 0
                   : 1;
    }
    if (strcmp(way, "strict") == 0) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (strcmp(way, "prctl") == 0) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    if (strcmp(way, "syscall-prctl") == 0)
        return (int)syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int main(int count, char** words) {
    if (count < 2) return 2;
    if (count > 2) {
        make(unusual, sizeof unusual / sizeof *unusual, SECCOMP_RET_KILL_PROCESS,
             SECCOMP_RET_ALLOW);
        if (filter(words[1]) != 0) return 3;
        execv(words[2], words + 2);
        return 4;
    }
    make(usual, sizeof usual / sizeof *usual, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
    handle(SIGALRM, ring);
    handle(SIGTERM, ring);
    handle(SIGSEGV, caught);
    allocate(NULL);
    pthread_t thread; /* The first thread needs its own calls. */
    if (pthread_create(&thread, NULL, allocate, NULL) != 0) return 5;
    pthread_join(thread, NULL);
    const struct itimerval soon = {{0, 0}, {0, 1000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    if (strcmp(words[1], "strict") == 0)
        while (!rang) {
        }
    if (filter(words[1]) != 0) return 3;
    if (strcmp(words[1], "strict") == 0) {
        for (int i = 0; i < 300000; ++i) free(memset(malloc(1000), 0, 1000));
        say("strict\n");
        syscall(SYS_exit, 0);
    }
    while (!rang) {
    }
    say("rang\n");
    allocate(NULL);
    if (pthread_create(&thread, NULL, allocate, NULL) != 0) return 5;
    pthread_join(thread, NULL);
    say("allocated\n");
    *(volatile int*)NULL = 1;
    return 6;
}
