// service CALLS kill|errno COMMAND...: runs the command as systemd runs a service with
// SystemCallFilter=: only with the calls in CALLS, separated by commas.
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 4) return 2;
    uint32_t otherwise = strcmp(words[2], "kill") ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_KILL_PROCESS;
    scmp_filter_ctx filter = seccomp_init(otherwise);
    for (char *name = strtok(words[1], ","); name; name = strtok(NULL, ",")) {
        int number = seccomp_syscall_resolve_name(name);
        if (number >= 0) seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
    }
    if (seccomp_load(filter) != 0) return perror("seccomp"), 2;
    execvp(words[3], words + 3);
    return perror(words[3]), 127;
}
