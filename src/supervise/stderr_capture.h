// Decides how the program's stderr is kept for diagnosis without changing what anybody sees.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast {

// What fstat and isatty say about a descriptor that the program will inherit.
struct StreamFacts {
    bool open = false;
    bool terminal = false;
    bool regular_file = false;
    bool blocking_pipe = false;  // and not a packet pipe

    static StreamFacts of(int fd);
};

enum class StderrCapture {
    relay,      // a relay between the program's stderr and ours
    read_file,  // a regular file: read its tail afterwards
    terminal,   // must stay a terminal: nothing is kept
    none,       // closed, or cannot be replaced by a pipe
};

StderrCapture plan_capture(const StreamFacts& err);

// All descriptors through which the program can write to the pipe behind `fd`, `fd` included: if
// only one of two were relayed, lines would change their order.
std::vector<int> writers_of_same_pipe(int fd);

// Where a regular file's text of this run begins, and how to find the file again.
struct FilePlace {
    std::string path;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t from_offset = 0;

    static FilePlace of(int fd);
};

// Opens a placeholder, which vanishes on exec, for each closed standard descriptor: otherwise the
// next file that we open would become the program's stdin.
void occupy_closed_streams();

}  // namespace holdfast
