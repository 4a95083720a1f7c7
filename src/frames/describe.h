// A place in words: file, function and line, as tracebacks name them.
#pragma once

#include "frames/line_table.h"
#include "frames/text.h"
#include "frames/walk.h"

namespace holdfast::frames {

struct Description {
    std::size_t file_size = 0, function_size = 0;
    std::uint32_t line = 0;  // 0: the instruction belongs to no line
    char file[512];
    char function[256];
};

// False when the code object is no longer the one that was met.
template <class Memory>
bool describe(Memory& memory, const Layout& layout, std::uintptr_t code_type, const Place& place,
              Description& out) {
    std::uint32_t identity = 0;
    if (!is_code(memory, layout, place.code, code_type) ||
        !load_identity(memory, layout, place.code, identity) || identity != place.identity)
        return false;
    std::uintptr_t file = 0, name = 0;
    const std::uint32_t name_at =
        layout.code_qualified_name != 0 ? layout.code_qualified_name : layout.code_name;
    if (!load(memory, place.code + layout.code_file, file) ||
        !load(memory, place.code + name_at, name))
        return false;
    out.file_size = read_text(memory, layout, file, out.file, sizeof out.file);
    out.function_size = read_text(memory, layout, name, out.function, sizeof out.function);
    out.line = line_of(memory, layout, place.code, place.instruction);
    return true;
}

}  // namespace holdfast::frames
