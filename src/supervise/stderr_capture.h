// Decides how the program's stderr is kept for diagnosis without changing what anybody sees.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast {

// What fstat and isatty say about one of the descriptors that the program will inherit.
struct StreamFacts {
    bool open = false;
    bool terminal = false;
    bool regular_file = false;
    bool blocking_pipe = false;  // and no packets

    static StreamFacts of(int fd);
};

enum class Capture {
    relay,      // a relay between the program's stderr and ours
    read_file,  // a regular file: read its tail afterwards
    terminal,   // a terminal must stay the terminal it is: nothing is kept
    none,       // closed, or nothing that a pipe can replace
};

Capture plan_capture(const StreamFacts& err);

// All descriptors by which the program could write to the pipe behind `fd`, that one included: two
// ways to one pipe, one of them relayed, would shuffle its lines.
std::vector<int> writers_of_same_pipe(int fd);

// Where a regular file's tail begins for this run, and how to find the file again.
struct FilePlace {
    std::string path;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t from_offset = 0;

    static FilePlace of(int fd);
};

// Puts a placeholder that vanishes on exec over each closed standard descriptor: otherwise the next
// file we open becomes the program's stdin.
void occupy_closed_streams();

}  // namespace holdfast
