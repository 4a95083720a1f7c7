// Traces a child as debuggers do, and counts what it sees: tracer COMMAND...
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 2) return 2;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execvp(words[1], words + 1);
        _exit(9);
    }
    int status = 0, traps = 0, others = 0;
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        if (WSTOPSIG(status) == SIGTRAP)
            traps++;
        else
            others++;
        ptrace(PTRACE_CONT, child, 0, WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
    }
    printf("traps %d, other stops %d, ended with %d\n", traps, others, status);
    return 0;
}
