// Importing a framework allocates from hundreds of lines that interest nobody. They would fill the
// tables of sites and frames before the program's own lines come.
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
    // The import system itself asks for memory, not a line of the module.
    bool innermost_is_import(const RawFrame* frames, std::size_t count) {
        return count > 0 && is_machinery(frames[0]);
    }

    // Neither of a library nor of the interpreter's own.
    bool is_own(const RawFrame& frame) { return kind_of(frame) == Kind::own; }

private:
    static constexpr std::size_t size = 512;
    enum class Kind : std::uint32_t { unknown = 0, library = 1, machinery = 2, own = 3 };
    struct Known {
        std::uintptr_t code;
        std::uint32_t first_line;
        Kind kind;
    };
    static Kind read_kind(const RawFrame& frame);
    Kind kind_of(const RawFrame& frame);
    bool is_machinery(const RawFrame& frame) { return kind_of(frame) == Kind::machinery; }

    Known known_[size];
};

}  // namespace holdfast::agent
