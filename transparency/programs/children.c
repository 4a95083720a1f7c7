// What a parent sees of its children: children wait-any|popen|many|vfork|clone|orphan|daemon|double
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int child_of_clone(void *unused) {
    (void)unused;
    return 11;
}

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "wait-any";
    setvbuf(stdout, NULL, _IOLBF, 0);
    int status = 0;
    if (!strcmp(how, "wait-any")) {
        for (int i = 0; i < 3; i++)
            if (fork() == 0) _exit(i);
        int sum = 0, seen = 0;
        while (waitpid(-1, &status, 0) > 0) sum += WEXITSTATUS(status), seen++;
        printf("%d children, sum %d, then %s\n", seen, sum, strerror(errno));
    }
    if (!strcmp(how, "popen")) {
        FILE *in = popen("echo from the child; exit 3", "r");
        char line[100] = "";
        if (fgets(line, sizeof line, in)) fputs(line, stdout);
        printf("pclose %d\n", WEXITSTATUS(pclose(in)));
        printf("system %d\n", WEXITSTATUS(system("exit 4")));
    }
    if (!strcmp(how, "many")) {
        int good = 0;
        for (int i = 0; i < 300; i++) {
            pid_t pid = fork();
            if (pid == 0) _exit(i & 1);
            if (waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == (i & 1)) good++;
        }
        printf("%d of 300\n", good);
    }
    if (!strcmp(how, "spawn")) {
        pid_t pid;
        char *line[] = {"sh", "-c", "exit 6", NULL};
        char *no_environment[] = {NULL};
        int failed = posix_spawnp(&pid, "sh", NULL, NULL, line, environ);
        waitpid(pid, &status, 0);
        printf("spawn %d %d\n", failed, WEXITSTATUS(status));
        failed = posix_spawn(&pid, "/usr/bin/env", NULL, NULL, (char *[]){"env", NULL},
                             no_environment);
        waitpid(pid, &status, 0);
        printf("spawn without environment %d %d\n", failed, WEXITSTATUS(status));
    }
    if (!strcmp(how, "vfork")) {
        pid_t pid = vfork();
        if (pid == 0) {
            execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
            _exit(9);
        }
        waitpid(pid, &status, 0);
        printf("vfork %d\n", WEXITSTATUS(status));
    }
    if (!strcmp(how, "clone")) {
        char *stack = malloc(1 << 16);
        pid_t pid = clone(child_of_clone, stack + (1 << 16), SIGCHLD, NULL);
        waitpid(pid, &status, 0);
        printf("clone %d\n", WEXITSTATUS(status));
        pid = (pid_t)syscall(SYS_fork);
        if (pid == 0) _exit(12);
        waitpid(pid, &status, 0);
        printf("raw fork %d\n", WEXITSTATUS(status));
    }
    if (!strcmp(how, "ignored")) {
        signal(SIGCHLD, SIG_IGN);
        if (fork() == 0) _exit(3);
        printf("wait %d, %s\n", wait(NULL), strerror(errno));
    }
    if (!strcmp(how, "orphan")) {
        // The grandchild outlives both and writes when it is told to go.
        if (fork() == 0) {
            if (fork() == 0) {
                setsid();
                close(0), close(1), close(2);
                sleep(20);
            }
            _exit(0);
        }
        wait(NULL);
        puts("left one behind");
    }
    if (!strcmp(how, "orphan-parent")) {
        // The new parent of an orphan: a plain program does not see its grandchildren.
        int ends[2];
        if (pipe(ends) != 0) return 1;
        if (fork() == 0) {
            if (fork() == 0) {
                char go;
                close(ends[1]);
                if (read(ends[0], &go, 1) == 0) _exit(33);
            }
            _exit(0);
        }
        wait(NULL);
        close(ends[0]), close(ends[1]);
        printf("a second wait: %d %s\n", wait(NULL), strerror(errno));
    }
    if (!strcmp(how, "subreaper")) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        if (fork() == 0) {
            if (fork() == 0) {
                usleep(50000);
                _exit(21);
            }
            _exit(20);
        }
        int sum = 0;
        while (wait(&status) > 0) sum += WEXITSTATUS(status);
        printf("both came: %d\n", sum);
    }
    if (!strcmp(how, "pdeathsig")) {
        int ends[2];
        if (pipe(ends) != 0) return 1;
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            if (write(ends[1], "x", 1) != 1) _exit(1);
            sleep(20);
            _exit(0);
        }
        char ready;
        if (read(ends[0], &ready, 1) != 1) return 1;
        puts("the child dies with us");
    }
    if (!strcmp(how, "zombie")) {
        if (fork() == 0) _exit(0);
        siginfo_t seen;
        waitid(P_ALL, 0, &seen, WEXITED | WNOWAIT);
        puts("one zombie left");
    }
    if (!strcmp(how, "execed-zombie")) {
        if (fork() == 0) _exit(17);
        execl("/bin/sh", "sh", "-c", "wait; echo done", (char *)NULL);
    }
    return 0;
}
