// kill_parent FILE: kills whoever started it, at once, and makes FILE should it live on.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 2 || getppid() <= 1) return 2;
    kill(getppid(), SIGKILL);
    for (int i = 0; i < 5; i++) usleep(100000);
    return open(words[1], O_CREAT | O_WRONLY, 0600) < 0;
}
