// A line of the program's source, read when a decision hangs on what it says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/base/text.h"

namespace holdfast::agent {

// Into `out`, as far as it fits; empty where it cannot be read.
Text read_source_line(Text file, std::uint32_t number, char* out, std::size_t room);

template <std::size_t N>
Text source_line(Text file, std::uint32_t number, char (&out)[N]) {
    return read_source_line(file, number, out, N);
}

}  // namespace holdfast::agent
