// Puts itself under a filter and works on: seccomp strict|filter|kill|errno|thread
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW(call)                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1),            \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void filter(unsigned otherwise) {
    // The calls of a program that only computes, allocates and prints.
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_read), ALLOW(SYS_write), ALLOW(SYS_exit), ALLOW(SYS_exit_group),
        ALLOW(SYS_rt_sigreturn), ALLOW(SYS_brk), ALLOW(SYS_mmap), ALLOW(SYS_munmap),
        ALLOW(SYS_mremap), ALLOW(SYS_futex), ALLOW(SYS_newfstatat), ALLOW(SYS_fstat),
        ALLOW(SYS_madvise), ALLOW(SYS_getrandom),
        BPF_STMT(BPF_RET | BPF_K, otherwise),
    };
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) perror("seccomp");
}

static void work(void) {
    static char buffer[1 << 16];
    size_t sum = 0;
    for (int i = 0; i < 200; i++) {
        char *memory = malloc(1 << 20);
        memset(memory, i, 1 << 20);
        sum += (unsigned char)memory[i];
        free(memory);
        memory = malloc(100 + i);
        memory[0] = 1;
        free(memory);
    }
    int size = snprintf(buffer, sizeof buffer, "worked: %zu\n", sum);
    if (write(1, buffer, (size_t)size) != size) _exit(5);
    if (write(2, "and stderr\n", 11) != 11) _exit(6);
}

static void *in_thread(void *unused) {
    work();
    return unused;
}

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "filter";
    char *early = malloc(1 << 10);
    free(early);
    if (!strcmp(how, "strict")) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        if (write(1, "strict\n", 7) != 7) syscall(SYS_exit, 5);
        syscall(SYS_exit, 3);
    }
    pthread_t thread;
    if (!strcmp(how, "thread")) {
        filter(SECCOMP_RET_KILL_PROCESS);
        in_thread(NULL);
        _exit(0);
    }
    if (!strcmp(how, "other-thread")) {
        // Only this thread is under the filter.
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_join(thread, NULL);
        filter(SECCOMP_RET_KILL_PROCESS);
        work();
        _exit(0);
    }
    if (!strcmp(how, "errno"))
        filter(SECCOMP_RET_ERRNO | EPERM);
    else
        filter(SECCOMP_RET_KILL_PROCESS);
    work();
    if (!strcmp(how, "return")) return 4;
    if (!strcmp(how, "segv")) *(volatile int *)8 = 1;
    if (!strcmp(how, "abort")) abort();
    _exit(4);
}
