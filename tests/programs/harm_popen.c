/* popen() and system() beside other threads, forks and cancellation. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static atomic_int over, sightings;

static void* look(void* unused) {
    (void)unused;
    while (!atomic_load(&over))
        for (char** entry = environ; *entry != NULL; ++entry)
            if (strncmp(*entry, "HOLDFAST_RUN", 12) == 0 || strncmp(*entry, "LD_PRELOAD", 10) == 0)
                atomic_fetch_add(&sightings, 1);
    return NULL;
}

static void* start_shells(void* unused) {
    (void)unused;
    while (!atomic_load(&over)) {
        FILE* shell = popen("exit 0", "r");
        if (shell != NULL) pclose(shell);
        if (system("exit 0") != 0) abort();
    }
    return NULL;
}

static int looked_at(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    int shells = 0;
    for (int i = 0; i < 200; ++i) {
        FILE* shell = popen("exit 3", "r");
        if (shell != NULL && WEXITSTATUS(pclose(shell)) == 3) ++shells;
    }
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    printf("%d shells, %d sightings\n", shells, atomic_load(&sightings));
    return 0;
}

static int forked(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, start_shells, NULL);
    int stuck = 0;
    for (int i = 0; i < 100; ++i) {
        const pid_t pid = fork();
        if (pid == 0) {
            alarm(120);
            FILE* shell = popen("exit 0", "r");
            _exit(shell == NULL || pclose(shell) != 0 || system("exit 0") != 0);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        if (status != 0) ++stuck;
    }
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    printf("100 children, %d stuck\n", stuck);
    return 0;
}

static void tell(const char* what, int answer, int error) {
    printf("%s: %d %d\n", what, answer, error);
    fflush(stdout);
}

static int compared(void) {
    char line[256] = "";
    FILE* one = popen("tr '\\0' '|' < /proc/$$/cmdline; echo; exit 5", "r");
    tell("close on exec", fcntl(fileno(one), F_GETFD), 0);
    /* The second shell must not have the first one's pipe. */
    FILE* two = popen("ls /proc/self/fd | wc -l; cat", "w");
    fputs("written\n", two);
    tell("two", pclose(two), 0);
    if (fgets(line, sizeof line, one) != NULL) fputs(line, stdout);
    tell("one", pclose(one), 0);
    FILE* three = popen("exit 6", "re");
    tell("close on exec", fcntl(fileno(three), F_GETFD), 0);
    tell("fclose", fclose(three), 0);
    errno = 0;
    tell("bad mode", popen("true", "rw") != NULL, errno);
    errno = 0;
    tell("bad letter", popen("true", "x") != NULL, errno);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    FILE* four = popen("echo four", "r");
    const char* answer = fgets(line, sizeof line, four);
    fprintf(stderr, "with closed descriptors: %s", answer == NULL ? "nothing\n" : answer);
    fprintf(stderr, "four: %d\n", pclose(four));
    FILE* file = fopen("/dev/null", "r");
    fprintf(stderr, "a file: %d\n", fclose(file));
    fprintf(stderr, "system: %d %d\n", system("exit 4"), system(NULL));
    fprintf(stderr, "command line: %d\n",
            system("test \"$(tr '\\0' '|' < /proc/$$/cmdline | cut -c1-8)\" = 'sh|-c|te'"));
    return 0;
}

static void* in_system(void* unused) {
    (void)unused;
    (void)!system("echo $$ >&8; exec sleep 100");
    return NULL;
}

static int cancelled(void) {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], 8) != 8) return 2;
    pthread_t thread;
    pthread_create(&thread, NULL, in_system, NULL);
    char text[16] = "";
    if (read(ends[0], text, sizeof text - 1) <= 0) return 3;
    pthread_cancel(thread);
    void* result = NULL;
    pthread_join(thread, &result);
    struct sigaction now;
    sigaction(SIGINT, NULL, &now);
    const int gone = kill(atoi(text), 0) != 0 && errno == ESRCH;
    printf("%s, SIGINT is %s\n", result == PTHREAD_CANCELED && gone ? "cancelled" : "not ended",
           now.sa_handler == SIG_DFL ? "as it was" : "ignored");
    return 0;
}

int main(int count, char** words) {
    const char* what = count > 1 ? words[1] : "";
    if (strcmp(what, "look") == 0) return looked_at();
    if (strcmp(what, "fork") == 0) return forked();
    if (strcmp(what, "plain") == 0) return compared();
    if (strcmp(what, "cancel") == 0) return cancelled();
    return 2;
}
