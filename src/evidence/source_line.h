// Finds lines in a user's source file: the one that a verdict names, and the one that fills a
// container.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast {

inline constexpr std::size_t source_size_limit = 4U << 20U;

// How a file is read. Injected: a test needs no file, and a report from another machine must not
// read one here.
using SourceReader = std::function<Result<std::string>(const std::string& path)>;

// Reads regular files of at most 4 MiB; never blocks at a pipe that is named train.py.
Result<std::string> read_source(const std::string& path);

// The line, counted from 1, without its indentation, printable and masked; empty if it cannot be
// read. The file may have been edited since the run, so show the text only next to the line's
// number.
std::string source_line(const SourceReader& read, const std::string& path, int line);

// The only line of a source file that puts something into a container; nothing if no line or
// several do. Pure.
// `name` is the path from one of the program's names: "self.history", "log[\"loss\"]".
std::optional<int> filling_line(std::string_view source, std::string_view name);

}  // namespace holdfast
