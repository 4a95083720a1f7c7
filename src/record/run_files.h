// Opens a file of a run.
#pragma once

#include <fcntl.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

// Below an open run directory: a regular file, no link, of the directory's owner (or root's, or
// ours) and not writable by everybody. Anything else was put there by a stranger. Missing: ENOENT.
Result<UniqueFd> open_run_file(int directory, const std::string& name, int access = O_RDONLY);

}  // namespace holdfast
