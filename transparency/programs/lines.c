// Writes numbered lines to both streams: lines COUNT [out|err|both] [bytes per line] [stderr twin]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    int lines = atoi(words[1]);
    const char *where = count > 2 ? words[2] : "both";
    int size = count > 3 ? atoi(words[3]) : 0;
    int twin = count > 4 ? dup(2) : -1;
    char *fill = calloc(1, (size_t)size + 1);
    memset(fill, 'x', (size_t)size);
    for (int i = 0; i < lines; i++) {
        if (*where != 'e') dprintf(1, "out %d %s\n", i, fill);
        if (*where != 'o') dprintf(2, "err %d %s\n", i, fill);
        if (twin >= 0) dprintf(twin, "twin %d %s\n", i, fill);
    }
    return 0;
}
