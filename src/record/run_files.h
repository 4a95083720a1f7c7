// The files in a run's directory: opens them with care, lists them, and finds out which of them we
// hold open.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

// Opens a file in an open run directory. It must be a regular file, not a link, must belong to the
// directory's owner (or to root or us), and must not be writable by everybody: anything else was
// put there by a stranger. ENOENT if it is missing.
Result<UniqueFd> open_run_file(int directory, const std::string& name, int access = O_RDONLY);

// The names in an open directory, without "." and "..", in no order.
Result<std::vector<std::string>> entry_names(int directory);

// Whether one of this process's descriptors is that file.
bool has_open(dev_t device, ino_t inode);

}  // namespace holdfast
