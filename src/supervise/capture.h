// Decides how the program's stderr is kept for diagnosis without changing what anybody sees.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace holdfast {

// What fstat and isatty say of one of the descriptors the program will inherit.
struct StreamFacts {
    bool open = false;
    bool terminal = false;
    bool regular_file = false;
    bool discards = false;  // /dev/null
    dev_t device = 0;
    ino_t inode = 0;

    static StreamFacts of(int fd);
    bool same_object(const StreamFacts& other) const {
        return open && other.open && device == other.device && inode == other.inode;
    }
};

enum class Capture {
    relay_stderr,  // a relay between the program's stderr and ours
    relay_both,    // stdout and stderr are one object: through one pipe, or their order is lost
    read_file,     // a regular file: read its tail afterwards
    terminal,      // a terminal must stay the terminal it is: nothing is kept
    none,          // closed
};

Capture plan_capture(const StreamFacts& out, const StreamFacts& err);

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
