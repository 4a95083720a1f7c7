// What lies in a run's directory: its names, its files opened with care, and which of them we hold
// open.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

// Below an open run directory: a regular file, no link, of the directory's owner (or root's, or
// ours) and not writable by everybody. Anything else was put there by a stranger. Missing: ENOENT.
Result<UniqueFd> open_run_file(int directory, const std::string& name, int access = O_RDONLY);

// Names in an open directory, "." and ".." left out, in no order.
Result<std::vector<std::string>> entry_names(int directory);

// Whether one of this process's descriptors is that file.
bool has_open(dev_t device, ino_t inode);

}  // namespace holdfast
