// kill_parent GO: kills its parent at once, and lives on until the file GO exists.
#include <signal.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 2 || getppid() <= 1) return 2;
    kill(getppid(), SIGKILL);
    while (access(words[1], F_OK) != 0) usleep(10000);
    return 0;
}
