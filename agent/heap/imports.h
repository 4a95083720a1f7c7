// Importing a framework allocates from hundreds of lines that no one wants to hear about, and would
// fill the tables of sites and frames before the program's own lines come.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/python/stack.h"

namespace holdfast::agent {

// Zeroed is empty; in memory that fork wipes. Under the heap's lock.
class ImportCache {
public:
    // How many of the innermost frames belong to an import: all inside the outermost import
    // statement. 0 when none is going on.
    std::size_t frames_inside(const RawFrame* frames, std::size_t count);
    // The import system itself asks, for no line that it runs.
    bool innermost_is_import(const RawFrame* frames, std::size_t count) {
        return count > 0 && is_machinery(frames[0]);
    }

private:
    static constexpr std::size_t size = 512;
    struct Known {
        std::uintptr_t code;
        std::uint32_t first_line;
        std::uint32_t answer;  // 1 no, 2 yes
    };
    bool is_machinery(const RawFrame& frame);

    Known known_[size];
};

}  // namespace holdfast::agent
