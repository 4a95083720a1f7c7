// Lines of a user's source file: the one that a verdict names, and the one that fills a container.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace holdfast {

inline constexpr std::size_t source_size_limit = 4U << 20U;

// How a file is read: injected, so that a test needs no file and a report of another machine reads
// none.
using SourceReader = std::function<Result<std::string>(const std::string& path)>;

// Regular files of at most 4 MiB; never waits at a pipe that calls itself train.py.
Result<std::string> read_source(const std::string& path);

// The line, counted from 1, without its indentation, printable and masked; empty when it cannot be
// had. The file may have been edited since: the caller shows it beside the number, no more.
std::string source_line(const SourceReader& read, const std::string& path, int line);

// The line of a source file that puts something into a container. Pure.
// `name` as a walk from the program's names gives it: "self.history", "log[\"loss\"]". Nothing
// where no line or several do.
std::optional<int> filling_line(std::string_view source, std::string_view name);

}  // namespace holdfast
