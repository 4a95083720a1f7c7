// Writes numbered lines to both streams, with pauses, and ends as told: pulse LINES MICROS CODE|-SIGNAL
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 4) return 2;
    int lines = atoi(words[1]), pause = atoi(words[2]), code = atoi(words[3]);
    for (int i = 0; i < lines; i++) {
        dprintf(1, "out %d\n", i);
        dprintf(2, "err %d\n", i);
        if (pause > 0) usleep((useconds_t)pause);
    }
    if (code < 0) {
        raise(-code);
        sleep(1);
    }
    return code;
}
