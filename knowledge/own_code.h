// Where Python code comes from, told by the name of its file: the rows of own_code.txt. The agent
// compiles this in, too, so it needs nothing but libc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast {

enum class CodeHome : std::uint8_t { own, made_up, generated, package, interpreter };

// A code object without a file is nobody's: `generated`.
CodeHome home_of_code(const char* file, std::size_t size);

// Made-up source counts: `python -c` is a program, too.
inline bool is_users(CodeHome home) { return home == CodeHome::own || home == CodeHome::made_up; }

}  // namespace holdfast
