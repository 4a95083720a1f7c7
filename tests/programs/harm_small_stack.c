/* Starts programs from a thread with the smallest stack there is, and many variables. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char** environ;
static int results[4] = {-1, -1, -1, -1};

static void* start(void* unused) {
    (void)unused;
    static char name[] = "true";
    char* words[] = {name, NULL};
    pid_t pid = 0;
    results[0] = posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ);
    if (results[0] == 0) waitpid(pid, &results[1], 0);
    results[2] = posix_spawnp(&pid, "true", NULL, NULL, words, environ);
    if (results[2] == 0) waitpid(pid, &results[3], 0);
    return NULL;
}

int main(int count, char** words) {
    const int variables = count > 1 ? atoi(words[1]) : 0;
    for (int i = 0; i < variables; ++i) {
        char name[32];
        snprintf(name, sizeof name, "VARIABLE_%d", i);
        setenv(name, "x", 1);
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, start, NULL) != 0) return 2;
    pthread_join(thread, NULL);
    printf("posix_spawn %d %d\nposix_spawnp %d %d\n", results[0], results[1], results[2],
           results[3]);
    return 0;
}
