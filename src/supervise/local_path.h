// Paths of files that can be opened without waiting for a server: asking a dead one for anything
// would block the supervisor, and with it the program's signals.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sources/mountinfo.h"

namespace holdfast {

// By its type alone: statfs of a dead server never returns.
bool on_network(const std::vector<sources::Mount>& mounts, std::string_view path);

// An absolute path as a process sees it, without symbolic links. Nothing if a part of it lies on a
// network filesystem, or cannot be read.
std::optional<std::string> local_path(int process_dir, const std::vector<sources::Mount>& mounts,
                                      std::string_view path);

}  // namespace holdfast
