/* A thread is to be cancelled, and calls only functions that are no cancellation points. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static const char* reached = "nothing";
static pid_t pid;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) {
    pthread_mutex_lock(&held);
    pthread_cancel(pthread_self());
    reached = "the lock";
    for (int i = 0; i < 300; ++i) {
        char* block = malloc(700 << 10);
        memset(block, i, 700 << 10);
        free(block);
    }
    reached = "memory";
    static char name[] = "true";
    char* words[] = {name, NULL};
    posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ);
    reached = "a program";
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    sigaction(SIGTERM, &action, NULL);
    reached = "everything";
    pthread_mutex_unlock(&held);
    pthread_testcancel();
    reached = "too much";
    return unused;
}

/* The same on the smallest stack there is. */
int main(int count, char** words) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (count > 1) pthread_attr_setstacksize(&attributes, (size_t)atoi(words[1]));
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, NULL) != 0) return 2;
    void* result = NULL;
    pthread_join(thread, &result);
    printf("reached %s, cancelled %d, lock %d\n", reached, result == PTHREAD_CANCELED,
           pthread_mutex_trylock(&held));
    int status = -1;
    if (pid > 0) waitpid(pid, &status, 0);
    printf("program %d\n", status);
    return 0;
}
