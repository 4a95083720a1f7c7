// Whole small files, read below an injected root.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace holdfast {

inline constexpr std::size_t default_read_limit = 4U << 20U;

// Reads at most `limit` bytes. procfs and sysfs report size 0, so this reads until the end.
// A longer file is an error with number EFBIG: half a file parsed as a whole one would be a lie.
Result<std::string> read_file(const std::string& path, std::size_t limit = default_read_limit);
Result<std::string> read_file_at(int directory, const std::string& name,
                                 std::size_t limit = default_read_limit);
// The last `limit` bytes from `from` on (or fewer).
Result<std::string> read_tail(int fd, std::size_t limit, std::uint64_t from = 0);

}  // namespace holdfast
